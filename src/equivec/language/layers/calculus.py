"""Binders and calculus: sums, products, extrema, limits, integrals and derivatives."""

from __future__ import annotations

from equivec.language.layers.rows import ANY, VALUE, big, own
from equivec.language.operators import AtLeast, Binding, Signature

CALCULUS = Signature(
    "calculus",
    (
        big("sum", r"\sum", "∑"),
        big("prod", r"\prod", "∏"),
        big("coproduct", r"\coprod", "∐"),
        big("big_union", r"\bigcup", "⋃", takes=ANY),
        big("big_intersection", r"\bigcap", "⋂", takes=ANY),
        big("big_direct_sum", r"\bigoplus", "⨁"),
        big("big_tensor", r"\bigotimes", "⨂"),
        big("big_or", r"\bigvee", "⋁", takes=ANY, gives=ANY),
        big("big_and", r"\bigwedge", "⋀", takes=ANY, gives=ANY),
        big("big_disjoint_union", r"\bigsqcup", "⨆", takes=ANY),
        big("big_multiset_union", r"\biguplus", "⨄", takes=ANY),
        big("big_circled_dot", r"\bigodot", "⨀"),
        big("lim", r"\lim", takes=ANY),
        big("limsup", r"\limsup", takes=ANY),
        big("liminf", r"\liminf", takes=ANY),
        big("injective_limit", r"\varinjlim", takes=ANY),
        big("projective_limit", r"\varprojlim", takes=ANY),
        big("max", r"\max", takes=ANY),
        big("min", r"\min", takes=ANY),
        big("sup", r"\sup", takes=ANY),
        big("inf", r"\inf", takes=ANY),
        big("argmax", r"\operatorname*{arg\,max}", takes=ANY),
        big("argmin", r"\operatorname*{arg\,min}", takes=ANY),
        big("esssup", r"\operatorname*{ess\,sup}", takes=ANY),
        # a body, and the variables one after the other with their orders
        own("derivative", AtLeast(3), takes=(ANY,), binding=Binding.SIGN),
        own("partial", AtLeast(3), takes=(ANY,), binding=Binding.SIGN),
        own("derivative_operator", AtLeast(2), takes=(ANY,), binding=Binding.ATOM),
        own("partial_operator", AtLeast(2), takes=(ANY,), binding=Binding.ATOM),
        own("differential", AtLeast(1), most=2, takes=(ANY,), binding=Binding.POWER),
        own("partial_sign", AtLeast(1), most=3, takes=(ANY,), binding=Binding.SIGN),
        own("nabla", 1, takes=(ANY,), binding=Binding.SIGN),
        own("divergence", 1, takes=(ANY,), binding=Binding.SIGN),
        own("rotation", 1, takes=(ANY,), binding=Binding.SIGN),
        own("change", 1, takes=(ANY,), binding=Binding.SIGN),
        # body, variable; body, variable, from, to; body, variable, region
        own("integral", 2, takes=(VALUE, ANY), binds=1, binding=Binding.SIGN),
        own(
            "integral_between",
            4,
            takes=(VALUE, ANY),
            binds=1,
            open_arguments=(2, 3),
            binding=Binding.SIGN,
        ),
        own(
            "integral_over",
            3,
            takes=(VALUE, ANY),
            binds=1,
            open_arguments=(2,),
            binding=Binding.SIGN,
        ),
        own(
            "contour_integral",
            AtLeast(2),
            most=3,
            takes=(VALUE, ANY),
            binds=1,
            open_arguments=(2,),
            binding=Binding.SIGN,
        ),
        own("evaluated", AtLeast(2), most=3, takes=(ANY,), binding=Binding.POWER),
    ),
)

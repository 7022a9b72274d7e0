"""Tuples, lists, sets, intervals and matrices, and what is done with them."""

from __future__ import annotations

from equivec.language.layers.rows import ANY, SET, VALUE, constant, fence, infix, own
from equivec.language.operators import AtLeast, Binding, Signature, Sort

_MANY = AtLeast(0)

CONTAINERS = Signature(
    "containers",
    (
        own("list", AtLeast(2), gives=ANY, binding=Binding.LIST),  # items without brackets
        own("rows", AtLeast(2), gives=ANY, binding=Binding.LIST),  # lines of an alignment
        own("index", AtLeast(2), gives=ANY),  # side by side in a script
        fence("tuple", "( )", r"\left( \right)", arity=AtLeast(2), gives=Sort.TUPLE | SET),
        fence("brackets", "[ ]", r"\left[ \right]", arity=AtLeast(1)),
        fence("angles", "⟨ ⟩", r"\left\langle \right\rangle", arity=AtLeast(1)),
        fence("set", "{ }", r"\left\{ \right\}", arity=_MANY, gives=SET, is_commutative=True),
        own("set_where", 2, gives=SET, binds=0),
        own("given", 2, gives=ANY, binding=Binding.BAR),  # of two lists
        own("interval", 2, takes=(VALUE,), gives=SET, infix_name="Interval"),
        own("interval_open", 2, takes=(VALUE,), gives=SET, infix_name="Interval.open"),
        own("interval_left_open", 2, takes=(VALUE,), gives=SET, infix_name="Interval.Lopen"),
        own("interval_right_open", 2, takes=(VALUE,), gives=SET, infix_name="Interval.Ropen"),
        infix("union", "∪", r"\cup", "∪", binding=Binding.SUM, is_commutative=True),
        infix("intersection", "∩", r"\cap", "∩", binding=Binding.SUM, is_commutative=True),
        infix("without", "\\", r"\setminus", "∖", binding=Binding.SUM),
        infix("disjoint_union", "⊔", r"\sqcup", "⊔", binding=Binding.SUM),
        infix("meet", "⊓", r"\sqcap", "⊓", binding=Binding.SUM),
        infix("multiset_union", "⊎", r"\uplus", "⊎", binding=Binding.SUM),
        infix("direct_sum", "⊕", r"\oplus", "⊕", binding=Binding.SUM),
        infix("circled_minus", "⊖", r"\ominus", "⊖", binding=Binding.SUM),
        infix("symmetric_difference", "△", r"\bigtriangleup", "△", binding=Binding.SUM),
        infix("amalgam", "⨿", r"\amalg", "⨿", binding=Binding.SUM),
        infix("dot_plus", "∔", r"\dotplus", "∔", binding=Binding.SUM),
        infix("box_plus", "⊞", r"\boxplus", "⊞", binding=Binding.SUM),
        infix("tensor", "⊗", r"\otimes", "⊗", binding=Binding.PRODUCT),
        infix("compose", "∘", r"\circ", "∘", binding=Binding.PRODUCT),
        infix("bullet", "•", r"\bullet", "•", binding=Binding.PRODUCT),
        infix("circled_dot", "⊙", r"\odot", "⊙", binding=Binding.PRODUCT),
        infix("circled_slash", "⊘", r"\oslash", "⊘", binding=Binding.PRODUCT),
        infix("box_times", "⊠", r"\boxtimes", "⊠", binding=Binding.PRODUCT),
        infix("left_semidirect", "⋊", r"\rtimes", "⋊", binding=Binding.PRODUCT),
        infix("right_semidirect", "⋉", r"\ltimes", "⋉", binding=Binding.PRODUCT),
        infix("wreath", "≀", r"\wr", "≀", binding=Binding.PRODUCT),
        infix("asterisk", "∗", r"\ast", "∗", binding=Binding.PRODUCT),
        infix("star_product", "⋆", r"\star", "⋆", binding=Binding.PRODUCT),
        infix("diamond_product", "⋄", r"\diamond", "⋄", binding=Binding.PRODUCT),
        infix("restricted_to", "↾", r"\upharpoonright", "↾", binding=Binding.PRODUCT),
        infix("ratio", "∶", ":", "∶", binding=Binding.WEDGE - 1, is_associative=False),
        own("matrix", AtLeast(1), takes=(Sort.TUPLE | ANY,), gives=Sort.MATRIX),
        own("determinant", AtLeast(1), takes=(Sort.TUPLE | ANY,), gives=VALUE),
        own("matrix_norm", AtLeast(1), takes=(Sort.TUPLE | ANY,), gives=VALUE),
        own("row", _MANY, gives=Sort.TUPLE),
        own("cases", AtLeast(1), takes=(ANY,), gives=ANY),
        own("system", AtLeast(1), gives=ANY),
        own("transpose", 1, takes=(VALUE,), gives=VALUE, binding=Binding.POWER),
        own("starred", 2, takes=(VALUE, ANY), gives=VALUE, binding=Binding.POWER),
        own("prescript", 3, takes=(ANY,), gives=VALUE, binding=Binding.POWER),
        own("indexed", 2, takes=(ANY,), gives=VALUE, binding=Binding.POWER),
        constant("empty_set", "∅", r"\emptyset", "∅", gives=SET),
        constant("dots", "...", r"\ldots", "…", gives=ANY),
        constant("dot_placeholder", "·", r"\cdot", "·", gives=ANY),
        constant("blank", "_", r"\square", "□", gives=ANY),
        constant("missing", "?", r"{}", "", gives=ANY),
        own("parentheses", 1, takes=(ANY,), gives=ANY),  # of a label: the (n) of f^(n)
        own("ket", 1, gives=VALUE),
        own("bra", 1, gives=VALUE),
    ),
)

"""Unknown functions applied, and the few signs that fit nowhere else."""

from __future__ import annotations

from equivec.language.layers.rows import ANY, VALUE, accent, constant, own, prefix
from equivec.language.operators import AtLeast, Binding, Signature

UNKNOWN = Signature(
    "unknown functions",
    (
        own("apply", AtLeast(1), gives=ANY),  # a function, its arguments in round brackets
        own("apply_brackets", AtLeast(1), gives=ANY),  # in square brackets
        own("apply_braces", AtLeast(1), gives=ANY),  # in braces
        own("inverse", 1, gives=ANY),
        accent("over_hat", r"\widehat"),
        accent("over_bar", r"\overline"),
        accent("over_vec", r"\overrightarrow"),
        accent("over_left", r"\overleftarrow"),
        accent("over_tilde", r"\widetilde"),
        accent("over_dot", r"\dot"),
        accent("over_ddot", r"\ddot"),
        accent("over_arc", r"\overset{\frown}"),
        accent("under_bar", r"\underline"),
        prefix("angle", "∠", r"\angle", "∠", binding=Binding.SIGN, takes=ANY),
        prefix("triangle", "△", r"\triangle", "△", binding=Binding.SIGN, takes=ANY),
        own("annotated", 2, takes=(ANY,), gives=VALUE),  # something, a note over or under it
        *(
            constant(name, sign, latex, sign, gives=VALUE)
            for name, latex, sign in (
                ("nabla_sign", r"\nabla", "∇"),
                ("partial_alone", r"\partial", "∂"),
                ("square_sign", r"\Box", "◻"),
                ("star_sign", r"\star", "⋆"),
                ("asterisk_sign", r"\ast", "∗"),
                ("bullet_sign", r"\bullet", "•"),
                ("flat_sign", r"\flat", "♭"),
                ("sharp_sign", r"\sharp", "♯"),
                ("dagger_sign", r"\dagger", "†"),
                ("plus_sign", "+", "+"),
                ("minus_sign", "-", "-"),
            )
        ),
    ),
)

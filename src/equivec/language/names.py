"""Names: Greek letters, fonts, accents, and what people call by words."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

_LOWER = "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron pi rho"
_LOWER += " sigma tau upsilon phi chi psi omega"
_LOWER_SIGNS = "αβγδϵζηθικλμνξοπρστυϕχψω"
_UPPER = "Gamma Delta Theta Lambda Xi Pi Sigma Upsilon Phi Psi Omega"
_UPPER_SIGNS = "ΓΔΘΛΞΠΣΥΦΨΩ"
_VARIANTS = "varepsilon vartheta varpi varrho varsigma varphi varkappa digamma"
_VARIANT_SIGNS = "εϑϖϱςφϰϝ"
_OTHER = "ell hbar wp imath jmath aleph beth gimel daleth eth"
_OTHER_SIGNS = "ℓℏ℘ıȷℵℶℷℸð"

# The letters that LaTeX has commands for, with the signs they are in Unicode.
LETTERS: Mapping[str, str] = {
    name: sign
    for names, signs in (
        (_LOWER, _LOWER_SIGNS),
        (_UPPER, _UPPER_SIGNS),
        (_VARIANTS, _VARIANT_SIGNS),
        (_OTHER, _OTHER_SIGNS),
    )
    for name, sign in zip(names.split(), signs, strict=True)
}
LETTER_ALIASES: Mapping[str, str] = {
    "hslash": "hbar",
    **{f"var{name}": name for name in _UPPER.split()},
}

# Font commands, and the name a font has in a tree; `rm` is a single upright letter.
FONTS: Mapping[str, str] = {
    **dict.fromkeys("mathbf boldsymbol bm pmb bold symbf symbfit mathbold".split(), "bf"),
    **dict.fromkeys("mathbb Bbb mathds bbm mathbbm".split(), "bb"),
    **dict.fromkeys("mathcal Cal cal".split(), "cal"),
    **dict.fromkeys("mathscr scr".split(), "scr"),
    **dict.fromkeys("mathfrak frak".split(), "frak"),
    **dict.fromkeys("mathsf".split(), "sf"),
    **dict.fromkeys("mathtt".split(), "tt"),
    **dict.fromkeys("mathit mathnormal it mit".split(), ""),
}
FONT_COMMANDS: Mapping[str, str] = {
    "bf": "mathbf", "bb": "mathbb", "cal": "mathcal", "scr": "mathscr", "frak": "mathfrak",
    "sf": "mathsf", "tt": "mathtt", "rm": "mathrm", "text": "text",
}  # fmt: skip
# Font switches that hold to the end of their group: {\bf x}.
SWITCHES: Mapping[str, str] = {
    "bf": "bf", "rm": "rm", "it": "", "cal": "cal", "sf": "sf", "tt": "tt", "scr": "scr",
    "frak": "frak", "mit": "", "em": "", "bfseries": "bf", "boldmath": "bf",
}  # fmt: skip
UPRIGHT = frozenset(
    "mathrm textrm textit textsf texttt textup textnormal rm mathup operatorname textbf".split()
)
TEXTS = frozenset("text mbox hbox intertext textmd emph textsl".split())

# Accents over a letter are a part of its name; wide ones are the same accent.
ACCENTS: Mapping[str, str] = {
    "hat": "hat", "widehat": "hat", "bar": "bar", "overline": "bar", "vec": "vec",
    "overrightarrow": "vec", "overleftarrow": "left", "overleftrightarrow": "leftright",
    "dot": "dot", "ddot": "ddot", "dddot": "dddot", "tilde": "tilde", "widetilde": "tilde",
    "underline": "under", "underbar": "under", "breve": "breve", "check": "check",
    "widecheck": "check", "acute": "acute", "grave": "grave", "mathring": "ring",
    "overarc": "arc", "wideparen": "arc", "overparen": "arc", "utilde": "undertilde",
}  # fmt: skip
ACCENT_COMMANDS: Mapping[str, str] = {
    "hat": "hat", "bar": "bar", "vec": "vec", "left": "overleftarrow",
    "leftright": "overleftrightarrow", "dot": "dot", "ddot": "ddot", "dddot": "dddot",
    "tilde": "tilde", "under": "underline", "breve": "breve", "check": "check",
    "acute": "acute", "grave": "grave", "ring": "mathring", "arc": "wideparen",
    "undertilde": "utilde",
}  # fmt: skip
# Over more than a letter an accent is an operator.
ACCENT_OPERATORS: Mapping[str, str] = {
    "hat": "over_hat", "bar": "over_bar", "vec": "over_vec", "left": "over_left",
    "tilde": "over_tilde", "dot": "over_dot", "ddot": "over_ddot", "arc": "over_arc",
    "under": "under_bar",
}  # fmt: skip

# Words that are functions even when LaTeX has no command for them or it was forgotten. They take
# an argument without brackets (dim V), where other words do not.
FUNCTION_WORDS = frozenset(
    "dim ker deg hom Pr rank rk diag var cov corr Var Cov Corr cor span supp grad div curl card "
    "conv Ext Tor Hom End Aut Gal Spec Res vol Vol ord lb id coker char Tr dist adj sup inf "
    "rot GL SL SO SU PSL PGL PSU Sp Spin Sym Frac Ann Pic Proj Li Ei Si Ci erf erfc erfi sgn sign "
    "cl int im rg codim lk st logit KL".split()
) - {"sup", "inf", "int", "st", "id"}

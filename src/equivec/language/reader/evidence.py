"""What a formula says itself of its names: which stand bare, which are applied, which are bound."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from equivec.language import tokens

if TYPE_CHECKING:
    from equivec.language.tokens import Token

_SCRIPTS = frozenset((tokens.SUP, tokens.SUB))
_LONE = frozenset((tokens.NAME, tokens.NUMBER, tokens.CONSTANT, tokens.WORD))


Key = tuple[str, str, bool]


@dataclass(slots=True)
class Evidence:
    """Names by base and font, and by whether something stands under them."""

    bare: set[Key] = field(default_factory=set)  # also without a bracket after them
    applied: set[Key] = field(default_factory=set)  # declared, or before a lone name
    has_integral: bool = False
    has_upright_d: bool = False
    has_lone_d: bool = False
    differentials: set[str] = field(default_factory=set)  # the letters after a d
    index_letters: set[str] = field(default_factory=set)  # letters that stand in subscripts
    has_imaginary: bool = False


def after_scripts(found: list[Token], partner: list[int], index: int) -> int:
    """The index after the scripts and primes that stand there."""
    last = len(found) - 1
    while index < last:
        kind = found[index].kind
        if kind == tokens.PRIME:
            index += 1
        elif kind in _SCRIPTS:
            following = index + 1
            index = partner[following] + 1 if partner[following] > following else following + 1
        else:
            break
    return min(index, last)


def gather(found: list[Token], partner: list[int]) -> Evidence:
    """The evidence of all tokens, in one pass."""
    evidence = Evidence()
    for index, token in enumerate(found):
        kind = token.kind
        if kind == tokens.NAME:
            _gather_name(found, partner, index, evidence)
        elif kind == tokens.INTEGRAL:
            evidence.has_integral = True
        elif kind == tokens.SUB:
            end = partner[index + 1] if partner[index + 1] > index else index + 1
            evidence.index_letters.update(
                inner.value for inner in found[index + 1 : end + 1] if inner.kind == tokens.NAME
            )
    return evidence


def _gather_name(found: list[Token], partner: list[int], index: int, evidence: Evidence) -> None:
    token = found[index]
    key = (token.value, token.font, found[index + 1].kind == tokens.SUB)
    after = after_scripts(found, partner, index + 1)
    following = found[after]
    if following.kind == tokens.OPEN and following.value == "(":
        close = partner[after]
        if close < 0:
            return
        inside = found[after + 1 : close]
        is_lone = (
            len(inside) == 1 and inside[0].kind == tokens.NAME and inside[0].value != token.value
        )
        before = found[index - 1] if index else None
        is_factor = (
            before is not None
            and before.kind in (tokens.NAME, tokens.NUMBER)
            and (before.end == token.start)
        )
        if is_lone and not is_factor:
            evidence.applied.add(key)
    elif following.kind == tokens.LBRACE and found[after + 1].kind == tokens.OPEN:
        pass
    else:
        evidence.bare.add(key)
    if token.value == "d" and token.font == "rm" and found[index + 1].kind == tokens.NAME:
        evidence.has_upright_d = True
    if token.value == "d" and token.font == "":
        neighbour = found[index + 1]
        if neighbour.kind == tokens.NAME:
            evidence.differentials.add(neighbour.value)
        elif neighbour.kind not in (tokens.SUP, tokens.ACCENT, tokens.SUB):
            evidence.has_lone_d = True
    if following.kind == tokens.SIGN and following.value in (":", r"\colon"):
        ahead = found[after + 1 : after + 40]
        if any(
            inner.kind == tokens.SIGN and inner.value in (r"\to", r"\mapsto") for inner in ahead
        ):
            evidence.applied.add(key)

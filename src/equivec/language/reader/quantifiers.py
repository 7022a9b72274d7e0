"""Quantifiers with the names that they bind."""

from __future__ import annotations

from equivec.language import tokens
from equivec.language.operators import Binding
from equivec.language.reader.cursor import (
    make,
)
from equivec.language.reader.parts import Parts
from equivec.language.reader.signs import (
    QUANTIFIERS,
    RELATION_SIGNS,
)
from equivec.language.tree import Tree, Variable


class Quantifiers(Parts):
    """Quantifiers with the names that they bind."""

    def quantifier(self) -> Tree:
        """A quantifier, its names and its statement."""
        name = QUANTIFIERS[self.tokens[self.i].value]
        self.i += 1
        if self.at(tokens.FACTORIAL):
            self.i += 1
            name = "exists_one"
        state = self.enter("quantifier")
        try:
            bound = [self.bound_part()]
            while self.at(tokens.COMMA) and self.is_bound_name(self.i + 1):
                self.i += 1
                bound.append(self.bound_part())
        finally:
            self.leave(state)
        domain = bound[0] if len(bound) == 1 else make("list", *bound)
        body = self.quantified_body()
        return make(name, domain) if body is None else make(name, domain, body)

    def bound_part(self) -> Tree:
        """One name after a quantifier, with where it lies."""
        token = self.tokens[self.i]
        is_braced = token.kind == tokens.LBRACE and self.partner[self.i] == self.i + 2
        if is_braced:
            token = self.tokens[self.i + 1]
        if token.kind == tokens.NAME:
            self.i += 3 if is_braced else 1
            name, power = self.scripted(Variable(token.value, token.font))
            if power is None and not (
                self.at(tokens.SIGN) and self.tokens[self.i].value in RELATION_SIGNS
            ):
                return name
            left = self.raised(name, *power) if power is not None else name
            return self.climb(left, Binding.AND)
        return self.climb(self.side(Binding.RELATION), Binding.AND)

    def is_bound_name(self, index: int) -> bool:
        """Whether a further bound name stands there: y in `\forall x, y \\in A`."""
        token, following = self.tokens[index], self.tokens[min(index + 1, len(self.tokens) - 1)]
        return (
            token.kind == tokens.NAME
            and following.kind == tokens.SIGN
            and (
                following.value in (r"\in", ">", r"\ge", r"\ne", ":", "<", r"\subset", r"\subseteq")
            )
        )

    def quantified_body(self) -> Tree | None:
        """The statement after the names, past a colon or a comma."""
        token = self.tokens[self.i]
        is_mark = (
            token.kind in (tokens.COMMA, tokens.DOT)
            or (token.kind == tokens.SIGN and token.value in (":", r"\colon"))
            or (token.kind == tokens.BAR and not self.bars)
            or token.kind == tokens.GAP
            or (
                token.kind == tokens.TEXT
                and token.value.strip(" ,.:").lower() in ("such that", "s.t.", "s.t", "st")
            )
        )
        if is_mark:
            if self.ends_operand(self.i + 1):
                return None
            self.i += 1
            while self.tokens[self.i].kind in (tokens.GAP, tokens.COMMA):
                self.i += 1
            return self.statement(Binding.QUANTIFIER - 1)
        if self.starts_operand(self.i) or token.kind == tokens.COMMAND:
            return self.statement(Binding.QUANTIFIER - 1)
        return None

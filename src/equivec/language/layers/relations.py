"""Relations, arrows and logic."""

from __future__ import annotations

from equivec.language.layers.rows import (
    ANY,
    TRUTH,
    VALUE,
    constant,
    infix,
    own,
    prefix,
    relation,
)
from equivec.language.operators import AtLeast, Binding, Operator, Signature

# name, plain text, LaTeX, sign; the first row of a sign writes it
_RELATIONS = r"""
eq = = =
ne != \ne ≠
lt < < <
le <= \le ≤
gt > > >
ge >= \ge ≥
approx ~~ \approx ≈
equivalent === \equiv ≡
similar ~ \sim ∼
asymptotic ~= \simeq ≃
congruent ≅ \cong ≅
proportional ∝ \propto ∝
much_less << \ll ≪
much_greater >> \gg ≫
defined_as := := :=
defines =: =: =:
near_limit ≐ \doteq ≐
precedes ≺ \prec ≺
succeeds ≻ \succ ≻
precedes_or_equal ⪯ \preceq ⪯
succeeds_or_equal ⪰ \succeq ⪰
same_order ≍ \asymp ≍
perpendicular ⟂ \perp ⟂
parallel ∥ \parallel ∥
not_parallel ∦ \nparallel ∦
less_or_similar ≲ \lesssim ≲
greater_or_similar ≳ \gtrsim ≳
models ⊨ \models ⊨
proves ⊢ \vdash ⊢
proved_by ⊣ \dashv ⊣
forces ⊩ \Vdash ⊩
joined ⋈ \bowtie ⋈
normal_subgroup ⊲ \triangleleft ⊲
normal_subgroup_or_equal ⊴ \trianglelefteq ⊴
contains_normal ⊳ \triangleright ⊳
contains_normal_or_equal ⊵ \trianglerighteq ⊵
independent ⫫ \perp\!\!\!\perp ⫫
in in \in ∈
not_in notin \notin ∉
contains ∋ \ni ∋
subset ⊂ \subset ⊂
subset_or_equal ⊆ \subseteq ⊆
proper_subset ⊊ \subsetneq ⊊
superset ⊃ \supset ⊃
superset_or_equal ⊇ \supseteq ⊇
proper_superset ⊋ \supsetneq ⊋
not_subset ⊄ \not\subset ⊄
not_subset_or_equal ⊈ \nsubseteq ⊈
square_subset ⊏ \sqsubset ⊏
square_subset_or_equal ⊑ \sqsubseteq ⊑
square_superset_or_equal ⊒ \sqsupseteq ⊒
divides ∣ \mid ∣
not_divides ∤ \nmid ∤
to -> \to →
maps_to |-> \mapsto ↦
from <- \leftarrow ←
both_ways <-> \leftrightarrow ↔
embeds ↪ \hookrightarrow ↪
onto ↠ \twoheadrightarrow ↠
weakly_to ⇀ \rightharpoonup ⇀
equilibrium ⇌ \rightleftharpoons ⇌
increases_to ↗ \nearrow ↗
decreases_to ↘ \searrow ↘
squiggly_to ⇝ \rightsquigarrow ⇝
pair_of_arrows ⇉ \rightrightarrows ⇉
arrows_both_ways ⇆ \leftrightarrows ⇆
dashed_to ⇢ \dashrightarrow ⇢
upwards ↑ \uparrow ↑
downwards ↓ \downarrow ↓
"""

_SYMMETRIC = set(
    "eq ne approx equivalent similar asymptotic congruent parallel perpendicular".split()
)

ARROWS = frozenset(
    "to maps_to from both_ways embeds onto weakly_to equilibrium increases_to decreases_to "
    "squiggly_to pair_of_arrows arrows_both_ways dashed_to upwards downwards".split()
)


def _relation(row: str) -> Operator:
    name, spelling, latex, sign = row.split()
    return relation(name, spelling, latex, sign, is_commutative=name in _SYMMETRIC)


def _arrow(name: str, spelling: str, latex: str, sign: str) -> Operator:
    return infix(
        name,
        spelling,
        latex,
        sign,
        binding=Binding.IMPLIES,
        takes=ANY,
        gives=TRUTH,
        is_associative=False,
    )


RELATIONS = Signature(
    "relations",
    (
        *(_relation(row) for row in _RELATIONS.strip().splitlines()),
        own("chain", AtLeast(2), takes=(TRUTH,), gives=TRUTH, binding=Binding.RELATION),
        own("labelled", 2, gives=TRUTH, binding=Binding.RELATION),  # a relation, a label over it
        own("modulo", 2, gives=ANY, binding=Binding.MODULO),
        infix("mapping", ":", ":", ":", binding=Binding.COLON, takes=ANY, gives=TRUTH),
        _arrow("implies", "=>", r"\implies", "⇒"),
        _arrow("iff", "<=>", r"\iff", "⇔"),
        _arrow("implied_by", "<==", r"\impliedby", "⇐"),
        infix(
            "or",
            "or",
            r"\lor",
            "∨",
            binding=Binding.OR,
            takes=ANY,
            gives=TRUTH,
            is_commutative=True,
        ),
        infix(
            "and",
            "and",
            r"\land",
            "∧",
            binding=Binding.AND,
            takes=ANY,
            gives=TRUTH,
            is_commutative=True,
        ),
        infix("wedge", "/\\", r"\wedge", "∧", binding=Binding.WEDGE, takes=ANY),
        infix("vee", "\\/", r"\vee", "∨", binding=Binding.WEDGE, takes=ANY),
        prefix("not", "not", r"\neg", "¬", binding=Binding.NOT, takes=ANY, gives=TRUTH),
        prefix("therefore", "∴", r"\therefore", "∴", binding=Binding.WHERE, takes=ANY, gives=TRUTH),
        prefix("because", "∵", r"\because", "∵", binding=Binding.WHERE, takes=ANY, gives=TRUTH),
        own("forall", AtLeast(1), gives=TRUTH, most=2, binds=0, binding=Binding.QUANTIFIER),
        own("exists", AtLeast(1), gives=TRUTH, most=2, binds=0, binding=Binding.QUANTIFIER),
        own("exists_one", AtLeast(1), gives=TRUTH, most=2, binds=0, binding=Binding.QUANTIFIER),
        own("exists_no", AtLeast(1), gives=TRUTH, most=2, binds=0, binding=Binding.QUANTIFIER),
        own("where", 2, gives=ANY, binding=Binding.WHERE),  # a formula, its side condition
        own("both", 2, gives=ANY, binding=Binding.WHERE),  # two formulas joined by the word and
        own("either", 2, gives=ANY, binding=Binding.WHERE),  # joined by the word or
        own("then", 2, gives=ANY, binding=Binding.WHERE),  # joined by the word then, so, hence
        constant("true", "true", r"\top", "⊤", gives=VALUE | TRUTH),
        constant("false", "false", r"\bot", "⊥", gives=VALUE | TRUTH),
    ),
)

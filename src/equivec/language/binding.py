"""Binders: free variables, substitution that captures nothing, and equality up to bound names."""

from __future__ import annotations

from typing import TYPE_CHECKING

from equivec.language.tree import Apply, Number, Tree, Variable, is_applied

if TYPE_CHECKING:
    from collections.abc import Mapping

_NAMING = frozenset("eq in to lt le gt ge ne not_in subset subset_or_equal near_limit mapping "
                    "increases_to decreases_to defined_as contains divides".split())  # fmt: skip


def names_bound_by(domain: Tree) -> tuple[Variable, ...]:
    r"""The names that a domain binds: k of `k = 1`, x of `x \in A`, both of `i, j`.

    >>> from equivec.language.tree import as_leaf
    >>> names_bound_by(as_leaf("k") < 3)
    (Variable(k),)
    """
    if isinstance(domain, Variable):
        return (domain,)
    if not isinstance(domain, Apply):
        return ()
    if domain.name in _NAMING:
        left = names_bound_by(domain.arguments[0])
        if left or domain.name not in ("lt", "le"):
            return left
        return names_bound_by(domain.arguments[1])
    if domain.name in ("list", "tuple", "index", "rows", "differential"):
        return tuple(name for part in domain.arguments for name in names_bound_by(part))
    if domain.name in ("chain", "where", "labelled", "and"):
        names = [name for part in domain.arguments[:2] for name in names_bound_by(part)]
        return tuple(dict.fromkeys(names))
    if domain.name == "apply" and len(domain.arguments) == 2:
        return names_bound_by(domain.arguments[1])
    return ()


def bound_names(tree: Tree) -> tuple[Variable, ...]:
    """The names that the operator at the root binds."""
    if not isinstance(tree, Apply) or tree.operator.binds is None:
        return ()
    if len(tree.arguments) <= tree.operator.binds:
        return ()
    return names_bound_by(tree.arguments[tree.operator.binds])


def free_variables(tree: Tree) -> frozenset[Variable]:
    """The variables that no binder within binds.

    >>> from equivec.language.layers import SIGNATURE
    >>> k, n = Variable("k"), Variable("n")
    >>> free_variables(SIGNATURE["sum"](k**2, SIGNATURE["eq"](k, 1), n))
    frozenset({Variable(n)})
    """
    found: set[Variable] = set()
    stack: list[tuple[Tree, frozenset[Variable]]] = [(tree, frozenset())]
    while stack:
        node, bound = stack.pop()
        if isinstance(node, Variable):
            if node not in bound:
                found.add(node)
        elif isinstance(node, Apply):
            own = bound_names(node)
            inner = bound.union(own) if own else bound
            for index, argument in enumerate(node.arguments):
                is_open = index in node.operator.open_arguments
                stack.append((argument, bound if is_open else inner))
    return frozenset(found)


def substitute(tree: Tree, replacements: Mapping[Variable, Tree]) -> Tree:
    """The tree with free variables replaced; bound names step aside, so none is captured."""
    incoming = frozenset(
        name for replacement in replacements.values() for name in free_variables(replacement)
    )
    return _Substitution(incoming | free_variables(tree)).of(tree, dict(replacements))


class _Substitution:
    def __init__(self, taken: frozenset[Variable]) -> None:
        self.taken = set(taken)

    def of(self, tree: Tree, replacements: dict[Variable, Tree]) -> Tree:
        """The tree with names replaced."""
        if isinstance(tree, Variable):
            return replacements.get(tree) or self.in_scripts(tree, replacements)
        if not isinstance(tree, Apply) or not replacements:
            return tree
        own = bound_names(tree)
        inner = replacements
        if own:
            inner = {name: value for name, value in replacements.items() if name not in own}
            captured = {name for value in inner.values() for name in free_variables(value)}
            for name in own:
                if name in captured:
                    inner[name] = self.fresh(name)
        arguments = tuple(
            self.of(argument, replacements if index in tree.operator.open_arguments else inner)
            for index, argument in enumerate(tree.arguments)
        )
        return tree if arguments == tree.arguments else Apply(tree.operator, arguments)

    def in_scripts(self, name: Variable, replacements: dict[Variable, Tree]) -> Tree:
        """A name whose subscript holds names that are replaced: x_i at i = 3."""
        if name.subscript is None:
            return name
        return name.replaced(subscript=self.of(name.subscript, replacements))

    def fresh(self, name: Variable) -> Variable:
        """A name like it that is not taken."""
        count = 1
        while True:
            candidate = name.replaced(primes=name.primes + count)
            if candidate not in self.taken:
                self.taken.add(candidate)
                return candidate
            count += 1


def canonical(tree: Tree) -> Tree:
    """The tree with its bound names replaced by numbered ones, equal for alpha-equal trees."""
    return _canonical(tree, {}, 0)


def _canonical(tree: Tree, names: dict[Variable, Tree], level: int) -> Tree:
    if isinstance(tree, Variable):
        if tree in names:
            return names[tree]
        if tree.subscript is not None:
            return tree.replaced(subscript=_canonical(tree.subscript, names, level))
        return tree
    if not isinstance(tree, Apply):
        return tree
    inner = names
    own = bound_names(tree)
    if own:
        inner = {
            **names,
            **{
                name: Variable("?bound", subscript=Number(level + at))
                for at, name in enumerate(own)
            },
        }
        level += len(own)
    arguments = tuple(
        _canonical(argument, names if index in tree.operator.open_arguments else inner, level)
        for index, argument in enumerate(tree.arguments)
    )
    return Apply(tree.operator, arguments)


def side_conditions(tree: Tree) -> tuple[Tree, tuple[Tree, ...]]:
    r"""A formula without the conditions written beside it, and these.

    `x = y, x > 0` and `f(x) = 1 (n \ge 1)` have one each.
    """
    conditions: list[Tree] = []
    while True:
        if is_applied(tree, "where"):
            conditions.insert(0, tree.arguments[1])
            tree = tree.arguments[0]
        elif is_applied(tree, "list") and all(_is_condition(part) for part in tree.arguments[1:]):
            conditions[:0] = tree.arguments[1:]
            tree = tree.arguments[0]
        else:
            break
    flat: list[Tree] = []
    for condition in conditions:
        flat += (
            condition.arguments if is_applied(condition, "both", "and", "list") else (condition,)
        )
    return tree, tuple(flat)


def _is_condition(tree: Tree) -> bool:
    """Whether it says of a name where it lies."""
    return is_applied(
        tree, "in", "gt", "ge", "lt", "le", "ne", "chain", "where", "subset", "subset_or_equal"
    )

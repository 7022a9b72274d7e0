"""`equivec parse`: text in one format to text in another."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from equivec.cli.app import BAD_INPUT
from equivec.cli.console import complain, input_lines, show, show_json
from equivec.cli.options import AsJson
from equivec.errors import ParseError
from equivec.expression import text as texts
from equivec.expression.grammar import GRAMMARS

if TYPE_CHECKING:
    from equivec.expression.grammar import Grammar
    from equivec.expression.tree import Node

InputFormat = Literal["auto", "infix", "latex", "prefix"]
OutputFormat = Literal["infix", "latex", "mathml", "prefix", "tree"]
GrammarName = Literal["elementary", "boolean", "polynomial"]


def parse(
    text: Annotated[
        str | None,
        typer.Argument(help="The expression; without it, one expression per line of stdin."),
    ] = None,
    source: Annotated[InputFormat, typer.Option("--from", help="The format of the text.")] = "auto",
    target: Annotated[OutputFormat, typer.Option("--to", help="The format to write.")] = "prefix",
    grammar: Annotated[
        GrammarName, typer.Option(help="The language of the expression.")
    ] = "elementary",
    as_json: AsJson = False,
) -> None:
    r"""Read expressions and write them in another format.

    A line of stdin that cannot be read is reported with its number, and the others are still
    written; the exit code is then 2. With --json, each line is an object with all formats.

    Examples: equivec parse "sin(x)/cos(x)"; equivec parse "\frac{1}{x}" --to infix.
    """
    rules = GRAMMARS[grammar]
    lines = input_lines() if text is None else [(0, text)]
    has_failed = False
    for number, line in lines:
        try:
            tree = texts.parse(line, source, rules)
        except ParseError as error:
            complain(error, f"line {number}: " if number else "")
            has_failed = True
            continue
        if as_json:
            show_json(_everything(tree, rules) | ({"line": number} if number else {}))
        else:
            show(texts.write(tree, target, rules))
    if has_failed:
        raise typer.Exit(BAD_INPUT)


def _everything(tree: Node, grammar: Grammar) -> dict[str, Any]:
    formats = {name: texts.write(tree, name, grammar) for name in texts.WRITERS if name != "tree"}
    return {**formats, "tree": _nested(tree), "nodes": tree.size, "depth": tree.depth}


def _nested(tree: Node) -> Any:
    """The tree as JSON: a leaf is its symbol, anything else a list of symbol and arguments."""
    if tree.is_leaf:
        return tree.symbol
    return [tree.symbol, *map(_nested, tree.arguments)]

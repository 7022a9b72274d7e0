"""Real formulas for development: collections that lie beside the repository, or nowhere."""

from __future__ import annotations

import csv
import gzip
import os
import re
from functools import cache
from pathlib import Path

from equivec.language.latex_macros import Macro, collect_macros

SHARED = Path(os.environ.get("EQUIVEC_FORMULAS", Path(__file__).parents[3] / "shared"))
SHORTEST, LONGEST = 3, 300

_ENVIRONMENTS = "equation|align|gather|eqnarray|multline|displaymath|math|alignat|flalign"
_MATH = re.compile(
    r"(?<!\\)\$\$(?P<display>.+?)\$\$"
    r"|\\\[(?P<bracket>.+?)\\\]"
    r"|\\\((?P<paren>.+?)\\\)"
    rf"|\\begin\{{(?P<env>(?:{_ENVIRONMENTS})\*?)\}}(?P<body>.+?)\\end\{{(?P=env)\}}"
    r"|(?<!\\)\$(?P<inline>[^$]+?)(?<!\\)\$",
    re.DOTALL,
)


def formulas_in(text: str) -> list[str]:
    """The formulas of a LaTeX or Markdown text, without their delimiters."""
    found = []
    for match in _MATH.finditer(text):
        body = next(group for name, group in match.groupdict().items() if group and name != "env")
        found.append(" ".join(body.split()) if "\n" in body and "%" not in body else body.strip())
    return found


def _distinct(texts: list[str]) -> list[str]:
    kept = dict.fromkeys(text.strip() for text in texts)
    return [text for text in kept if SHORTEST <= len(text) <= LONGEST]


@cache
def collection(name: str) -> tuple[list[str], dict[str, Macro]]:
    """The distinct formulas of a collection and the private commands of its documents."""
    if name == "arqmath":
        with gzip.open(SHARED / "arqmath/formulas.tsv.gz", "rt", encoding="utf-8") as file:
            rows = file.read().splitlines()[1:]
        return _distinct([row.split("\t")[3] for row in rows]), {}
    if name == "wikidata":
        with (SHARED / "formulas/wikidata.tsv").open(encoding="utf-8", newline="") as file:
            rows_read = list(csv.reader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
        return _distinct([row[2] for row in rows_read[1:]]), {}
    folder = SHARED / "documents" / name
    texts = [
        path.read_text(encoding="utf-8", errors="replace")
        for path in sorted(folder.rglob("*"))
        if path.suffix in (".tex", ".md")
    ]
    macros = {key: value for text in texts for key, value in collect_macros(text).items()}
    if name == "diffyqs":
        texts = [re.sub(r"(?<!\\)%.*", "", text) for text in texts]
    return _distinct([formula for text in texts for formula in formulas_in(text)]), macros


COLLECTIONS = ("arqmath", "wikidata", "diffyqs", "statproofbook")

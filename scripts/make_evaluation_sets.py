"""Make the committed evaluation sets anew: python scripts/make_evaluation_sets.py [NAME...]."""

from __future__ import annotations

import sys
from dataclasses import astuple, fields
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

from equivec.evaluate.analogies import Analogy
from equivec.evaluate.analogy_making import make_analogies
from equivec.evaluate.tables import write_table

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

DATA = Path(__file__).parent.parent / "src" / "equivec" / "evaluate" / "data"
SEED = 42
ANALOGIES_OF_EACH_KIND = 600


def write_analogies() -> None:
    """Analogies by identities and by substitution."""
    analogies = make_analogies(Random(SEED), ANALOGIES_OF_EACH_KIND)  # noqa: S311
    about = f"x1 is to y1 as x2 is to y2; scripts/make_evaluation_sets.py analogies, seed {SEED}"
    headings = [field.name for field in fields(Analogy)]
    write_table(DATA / "analogies.tsv", about, headings, map(astuple, analogies))


SETS: dict[str, Callable[[], None]] = {"analogies": write_analogies}


def main(names: Sequence[str]) -> None:
    """Write the named sets, or all."""
    for name in names or SETS:
        SETS[name]()


if __name__ == "__main__":
    main(sys.argv[1:])

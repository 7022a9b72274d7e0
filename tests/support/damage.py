"""Damage to files at random, and whether anybody would be misled by it.

As a program, `python damage.py 600` damages copies of a model, a corpus and indexes so many times
and prints for each kind of file how often the damage was named, did no harm, or was silent.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

import numpy as np

from equivec.corpus.records import Row, to_table
from equivec.corpus.store import Corpus, write_corpus
from equivec.embed import Embedder
from equivec.errors import EquivecError
from equivec.search.index import Index, IndexConfig
from equivec.search.manifest import NeighbourConfig
from support.encoders import FakeEncoder
from support.models import model_folder_of, tiny_network

if TYPE_CHECKING:
    from collections.abc import Callable

NAMED, HARMLESS, SILENT = "named", "harmless", "silent"
QUERIES = ["sin(x)/cos(x)", "(a + b)**2", "exp(x)*y", "log(x)"]
TEXTS = [f"{name}({argument})" for name in ("sin", "cos", "exp", "log", "tan") for argument in (
    "x", "x + 1", "2*x", "x*y", "x**2", "x - y", "1/x", "sqrt(x)", "x + y + z", "-x",
)]  # fmt: skip


@dataclass(frozen=True)
class Subject:
    """A folder to damage, and all that is asked of it."""

    folder: Path
    ask: Callable[[Path], object]


def subjects(place: Path) -> dict[str, Subject]:
    """A small folder of each kind."""
    model = model_folder_of(tiny_network(), place / "model")
    rows = [Row(n // 2, f"add x INT+ {n}", n, "rules", "", n % 2 == 0, "train") for n in range(40)]
    write_corpus(place / "corpus", to_table(rows), {"settings": {}})
    index = Index.build(TEXTS, FakeEncoder(), place / "index")
    index.remove(TEXTS[:3])
    compressed = place / "compressed"
    many = [f"{text} + {n}" for n in range(30) for text in TEXTS]
    config = IndexConfig(neighbours=NeighbourConfig(exact_below=1_000))
    Index.build(many, FakeEncoder(), compressed, config)
    return {
        "model": Subject(model, ask_model),
        "corpus": Subject(place / "corpus", ask_corpus),
        "index": Subject(place / "index", ask_index),
        "compressed index": Subject(compressed, ask_index),
    }


def ask_model(folder: Path) -> object:
    """The vectors of a model in both precisions, and what it writes."""
    model = Embedder(folder)
    vectors = [
        Embedder(folder, precision=precision).encode(QUERIES) for precision in ("fp32", "uint8")
    ]
    written = [(one.expression, one.log_probability) for one in model.equivalents("x + 1", beam=3)]
    return [part.tobytes() for part in vectors], written


def ask_corpus(folder: Path) -> object:
    """Every expression of a corpus and its cluster, and its counts."""
    corpus = Corpus.open(folder)
    table = corpus.table()
    return table.to_pylist(), list(corpus.run(0, 100)), dict(corpus.manifest)


def ask_index(folder: Path) -> object:
    """What an index answers to some queries."""
    index = Index.open(folder, FakeEncoder())
    found = [index.search(query, 5) for query in QUERIES]
    hits = [[(hit.expression, hit.cosine) for hit in each.hits] for each in found]
    vectors = index.sample(1_000)[1]
    return hits, index.info().expressions, np.asarray(vectors).tobytes()


def damage(path: Path, random: Random) -> str:
    """Flip a bit of a file, cut it off, or set a part of it to zero; what was done comes back."""
    content = bytearray(path.read_bytes())
    place = random.randrange(len(content))
    kind = random.choice(["flip", "flip", "cut", "zeros"])
    if kind == "flip":
        content[place] ^= 1 << random.randrange(8)
    elif kind == "cut":
        del content[place:]
    else:
        end = random.choice([place + 64, len(content)])
        content[place:end] = bytes(len(content[place:end]))
    path.write_bytes(content)
    return f"{kind} at {place}"


def outcome(subject: Subject, expected: object, path: Path, random: Random) -> tuple[str, str]:
    """What came of one damage, and what was done; the file is whole again afterwards."""
    whole = path.read_bytes()
    done = damage(path, random)
    try:
        found = subject.ask(subject.folder)
    except EquivecError:
        return NAMED, done
    except FileNotFoundError as error:
        return (NAMED if error.filename else SILENT), f"{done}: {error!r}"
    finally:
        path.write_bytes(whole)
    return (HARMLESS if found == expected else SILENT), done


def table(place: Path, count: int, seed: int = 1) -> tuple[Counter[tuple[str, str]], list[str]]:
    """How often each outcome came of so many damages, by the file, and every silent one."""
    random = Random(seed)
    found = subjects(place)
    expected = {name: subject.ask(subject.folder) for name, subject in found.items()}
    files = {
        name: sorted(path for path in subject.folder.rglob("*") if path.stat().st_size)
        for name, subject in found.items()
    }
    counts: Counter[tuple[str, str]] = Counter()
    silent = []
    for number in range(count):
        name = list(found)[number % len(found)]
        paths = [path for path in files[name] if path.is_file() and path.name != "README.md"]
        path = paths[number // len(found) % len(paths)]
        what, done = outcome(found[name], expected[name], path, random)
        counts[f"{name}: {path.name}", what] += 1
        if what == SILENT:
            silent.append(f"{path}: {done}")
    return counts, silent


def main(count: int) -> None:
    """Print the table."""
    folder = Path(tempfile.mkdtemp())
    try:
        counts, silent = table(folder, count)
    finally:
        shutil.rmtree(folder)
    lines = [f"{'file':<48}{NAMED:>9}{HARMLESS:>9}{SILENT:>9}"]
    for name in sorted({name for name, _ in counts}):
        numbers = (counts[name, what] for what in (NAMED, HARMLESS, SILENT))
        lines.append(f"{name:<48}" + "".join(f"{number:>9}" for number in numbers))
    totals = Counter[str]()
    for (_, what), number in counts.items():
        totals[what] += number
    lines.append(f"{'all':<48}" + "".join(f"{totals[w]:>9}" for w in (NAMED, HARMLESS, SILENT)))
    sys.stdout.write("\n".join([*lines, *silent]) + "\n")


if __name__ == "__main__":
    main(int(sys.argv[1]))

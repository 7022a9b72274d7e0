"""How large the package is, and how far a reader walks through it: results/house/NAME.json.

Usage: python scripts/house.py NAME

Sizes are counted in the source. A journey is one job that the package does, run once with every
call counted: how many functions and modules of the package take part, and how often a call goes
from one module, or from one room, to another. Work that a
journey gives to other threads or processes is not counted.
"""

from __future__ import annotations

import ast
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from equivec.cli.main import app
from equivec.corpus.shards import ShardConfig, ShardWork
from equivec.evaluate.provenance import provenance
from equivec.storage.files import write_json

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from types import FrameType

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "src" / "equivec"
Function = ast.FunctionDef | ast.AsyncFunctionDef


def main(name: str) -> None:
    """Write one file."""
    with tempfile.TemporaryDirectory() as folder:
        _prepare(Path(folder))
        found = {title: _walked(journey, Path(folder)) for title, journey in JOURNEYS.items()}
    command = f"python scripts/house.py {name}"
    path = ROOT / "results" / "house" / f"{name}.json"
    path.parent.mkdir(exist_ok=True)
    write_json(path, {**provenance(command).to_json(), "sizes": _sizes(), "journeys": found})
    print(path)  # noqa: T201


def _sizes() -> dict[str, Any]:
    """Counts over all modules of the package."""
    sources = {path: path.read_text(encoding="utf-8") for path in sorted(PACKAGE.rglob("*.py"))}
    trees = {path: ast.parse(source) for path, source in sources.items()}
    functions = [each for tree in trees.values() for each in _functions(tree)]
    once = list(_private_uses(trees))
    public = [each for tree in trees.values() for each in _public(tree)]
    edges = sum(len(_internal_imports(tree)) for tree in trees.values())
    return {
        "files": len(sources),
        "lines": sum(source.count("\n") for source in sources.values()),
        "functions": len(functions),
        "longest function": max(_length(each) for each in functions),
        "private functions": len(once),
        "private functions used once": sum(uses == 1 for uses in once),
        "internal imports per module": round(edges / len(sources), 2),
        "public things": len(public),
        "public things with a docstring": sum(
            ast.get_docstring(each) is not None for each in public
        ),
        "modules under 40 lines": sum(source.count("\n") < 40 for source in sources.values()),
    }


def _functions(tree: ast.AST) -> Iterator[Function]:
    return (each for each in ast.walk(tree) if isinstance(each, Function))


def _length(function: Function) -> int:
    return (function.end_lineno or function.lineno) - function.lineno + 1


def _private_uses(trees: dict[Path, ast.Module]) -> Iterator[int]:
    """For each private function, how often its module names it."""
    for tree in trees.values():
        named = Counter(
            each.id if isinstance(each, ast.Name) else each.attr
            for each in ast.walk(tree)
            if isinstance(each, ast.Name | ast.Attribute)
        )
        for function in _functions(tree):
            if function.name.startswith("_") and not function.name.startswith("__"):
                yield named[function.name]


def _public(tree: ast.Module) -> Iterator[ast.ClassDef | Function]:
    """Classes and functions of a module, and methods of its classes, that anybody may use."""
    for each in tree.body:
        if isinstance(each, ast.ClassDef | Function) and not each.name.startswith("_"):
            yield each
            if isinstance(each, ast.ClassDef):
                methods = (one for one in each.body if isinstance(one, Function))
                yield from (one for one in methods if not one.name.startswith("_"))


def _internal_imports(tree: ast.Module) -> set[str]:
    """The modules of the package that a module imports when it is imported, types left out."""
    found = set()
    for each in tree.body:
        if isinstance(each, ast.ImportFrom) and (each.module or "").startswith("equivec"):
            found.add(each.module or "")
        if isinstance(each, ast.Import):
            found |= {one.name for one in each.names if one.name.startswith("equivec")}
    return found


def _walked(journey: Callable[[Path], None], folder: Path) -> dict[str, int]:
    """The second run of a journey, its calls counted; the first one loads the modules."""
    journey(folder)
    places: list[str] = []
    functions: set[tuple[str, int]] = set()
    calls: Counter[str] = Counter()

    def count(frame: FrameType, event: str, _: object) -> None:
        if event == "call" and frame.f_code.co_filename.startswith(str(PACKAGE)):
            module = str(Path(frame.f_code.co_filename).relative_to(PACKAGE))
            functions.add((module, frame.f_code.co_firstlineno))
            calls["calls"] += 1
            if places:
                calls["module switches"] += places[-1] != module
                calls["room switches"] += places[-1].split("/")[0] != module.split("/")[0]
            places[:] = [module]

    sys.setprofile(count)
    try:
        journey(folder)
    finally:
        sys.setprofile(None)
    modules = {module for module, _ in functions}
    return {"functions": len(functions), "modules": len(modules), **calls}


def _run(*arguments: str) -> None:
    """One command in this process."""
    app(list(map(str, arguments)), standalone_mode=False)


def _prepare(folder: Path) -> None:
    (folder / "formulas.txt").write_text("sin(x)/cos(x)\ntan(x)\nx**2 + 1\n", encoding="utf-8")
    _run("index", "build", f"{folder}/formulas.txt", "--index", f"{folder}/index")


def _search(folder: Path) -> None:
    _run("search", "sin(x)/cos(x)", "--index", f"{folder}/index")


def _row(_: Path) -> None:
    with tempfile.TemporaryDirectory() as shard:
        ShardWork("rules", shard, ShardConfig(sources=1))(0)


def _train(_: Path) -> None:
    shape = "width=16 layers=1 heads=2 steps=2 min_steps=2 batch_size=8".split()
    with tempfile.TemporaryDirectory() as out:
        _run("train", "paper", ROOT / "data" / "sample", "-o", f"{out}/run", *_set(shape))


def _semvec(_: Path) -> None:
    runs = ("semvec", "train", "fast", "SimpPoly5:SemEmb", "--data", "regenerated")
    with tempfile.TemporaryDirectory() as out:
        _run(*runs, "-o", out, *_set("steps=2 layers=1 width=16".split()))


def _set(changes: list[str]) -> list[str]:
    return [part for change in changes for part in ("--set", change)]


JOURNEYS: Mapping[str, Callable[[Path], None]] = {
    "search a formula": _search,
    "a source to a row": _row,
    "a pair to ONNX": _train,
    "a SemVec row to a score": _semvec,
}


if __name__ == "__main__":
    main(*sys.argv[1:])

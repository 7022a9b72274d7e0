"""`equivec index`, `search` and `analogy`: an index made, asked and checked from a shell."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from equivec.corpus.records import Row, to_table
from equivec.corpus.store import write_corpus
from equivec.search.index import Index
from support import command
from support.command import Result
from support.encoders import FakeEncoder

ROOT = Path(__file__).parent.parent
# The command with our encoder in the place of the model's.
COMMAND = """
import os, sys
from pathlib import Path
import equivec.embed.registry as registry
import support.encoders
registry.load_encoder = support.encoders.load_encoder
import equivec.search.default as default
if "EXPRESSIONS" in os.environ:
    default.EXPRESSIONS = Path(os.environ["EXPRESSIONS"])
from equivec.cli.main import main
main()
"""


def run(*arguments: str, stdin: str = "", **variables: str) -> Result:
    path = os.pathsep.join([str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])])
    done = subprocess.run(
        [sys.executable, "-c", COMMAND, *arguments],
        input=stdin,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
        env={**os.environ, "PYTHONPATH": path, **variables},
    )
    return Result(done.stdout, done.stderr, done.returncode)


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("search") / "index"
    lines = "(p + q)**2\nsin(x)/cos(x)\n\\tan x\nsin(x)\nadd x INT+ 1\ncsc(x)\nsec(x)\n"
    made = run("index", "build", "-", "--index", str(folder), stdin=lines)
    notes = f"neighbours: exact search\nwrote {folder}: 7 expressions\n"
    assert made == Result("", notes, 0)
    return folder


def test_search_prints_equal_expressions_first(folder: Path) -> None:
    result = run("search", "a^2 + 2ab + b^2", "--index", str(folder), "-k", "2")
    first, second = result.stdout.splitlines()
    assert re.split(" {2,}", first)[1:] == ["equal over the reals", "(p + q)**2", "(a = p, b = q)"]
    assert re.split(" {2,}", second)[1] == "different over the reals"
    assert result.stderr.startswith("2 of 7 expressions in ")
    assert result.code == 0


def test_json_carries_every_format_and_the_verdict(folder: Path) -> None:
    answer = json.loads(
        run("search", r"\tan t", "--index", str(folder), "--json", "-k", "2").stdout
    )
    assert {hit["prefix"] for hit in answer["hits"]} == {"tan x", "div sin x cos x"}
    assert {hit["verdict"] for hit in answer["hits"]} == {"EQUAL"}
    assert {hit["words"] for hit in answer["hits"]} == {"equal over the reals"}
    evidence = {hit["prefix"]: hit["sentence"] for hit in answer["hits"]}
    assert evidence["tan x"] == "equal over the reals (both are the same expression)"
    assert "they agree at" in evidence["div sin x cos x"]
    assert {hit["renaming"]["t"] for hit in answer["hits"]} == {"x"}
    assert set(answer["seconds"]) == {"encode", "lookup", "neighbours", "judge"}


def test_filters_and_names_are_options(folder: Path) -> None:
    result = run(
        *("search", "tan(t)", "--index", str(folder), "--excludes", "tan", "--max-operators", "3"),
        *("--min-operators", "2", "--variables", "1", "--contains", "sin", "--same-names"),
    )
    assert [re.split(" {2,}", line)[1:] for line in result.stdout.splitlines()] == [
        ["different over the reals", "sin(x)/cos(x)"]
    ]


def test_an_analogy_is_asked(folder: Path) -> None:
    result = run("analogy", "sin(x)", "cos(x)", "csc(x)", "-k", "1", EQUIVEC_INDEX=str(folder))
    assert result.stdout.split()[-1] == "sec(x)"


def test_an_index_grows_is_described_and_verified(tmp_path: Path) -> None:
    source, folder = tmp_path / "some.txt", str(tmp_path / "index")
    place = ("--index", folder)
    source.write_text("sin(x)\ncos(x)\n")
    assert run("index", "build", str(source), *place, "--vector-type", "float16").code == 0
    source.write_text("sin(x)\ntan(x)\n")
    added = run("index", "add", str(source), *place)
    assert added.stderr == f"added 1 to {folder}: 3 expressions\n"
    told = run("index", "info", *place).stdout.splitlines()
    assert told[0].startswith("3 expressions in 2 segments, ")
    assert told[1:] == ["vectors: fake, 32 x float16", "neighbours: exact search"]
    source.write_text("tan(x)\nlog(x)\n")
    removed = run("index", "remove", str(source), *place)
    assert removed.stderr == f"removed 1 from {folder}: 2 expressions\n"
    assert run("search", "tan(x)", *place, "-k", "3").stdout.count("\n") == 2
    assert run("index", "tune", *place).stderr == "neighbours: exact search\n"
    assert run("index", "verify", *place).stderr == f"{folder} is whole\n"
    vectors = next(Path(folder).glob("*.vectors.npy"))
    vectors.write_bytes(vectors.read_bytes()[:-2] + b"xx")
    broken = run("index", "verify", *place)
    assert broken.stdout == f"{vectors} is damaged: its checksum is not the one in manifest.json\n"
    assert (broken.stderr, broken.code) == ("", 1)
    assert json.loads(run("index", "verify", *place, "--json").stdout) == {
        "damage": broken.stdout.splitlines()
    }


def test_a_file_without_expressions_makes_no_index(tmp_path: Path) -> None:
    (tmp_path / "empty.txt").touch()
    source, folder = str(tmp_path / "empty.txt"), tmp_path / "index"
    for more in ((), ("--executor", "local")):
        made = run("index", "build", source, "--index", str(folder), *more)
        sentence = f"{source} has no expressions; there is nothing to build an index of\n"
        assert made == Result("", sentence, 2)
        assert not folder.exists()
    assert run("index", "build", "-", "--index", str(folder)).stderr.startswith(
        "stdin has no expressions; "
    )


def test_a_full_disk_is_told_with_the_file_that_has_no_room(tmp_path: Path) -> None:
    source = tmp_path / "many.txt"
    source.write_text("".join(f"x + {n}\n" for n in range(2_000)))
    folder = tmp_path / "index"
    limited = ["sh", "-c", 'ulimit -f 64; exec "$@"', "sh", sys.executable, "-c", COMMAND]
    done = subprocess.run(
        [*limited, "index", "build", str(source), "--index", str(folder)],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), *sys.path[1:]])},
    )
    vectors = folder / "segment-000001.vectors.npy"
    assert re.fullmatch(rf"{vectors}: no room to write it whole \(.*\)\n", done.stderr), done.stderr
    assert done.returncode == 2


AS_NOBODY = ["unshare", "--user", "--map-user=54321"]  # whom the system does not know


@pytest.mark.skipif(
    shutil.which("unshare") is None
    or subprocess.run([*AS_NOBODY, "true"], capture_output=True).returncode != 0,
    reason="needs a user of its own",
)
def test_a_user_without_a_home_is_told_to_name_a_cache(folder: Path) -> None:
    homes = ("HOME", "EQUIVEC_CACHE", "XDG_CACHE_HOME")
    variables = {name: value for name, value in os.environ.items() if name not in homes}
    found = [
        subprocess.run(
            [*AS_NOBODY, sys.executable, "-c", COMMAND, "search", "sin(x)", *more],
            capture_output=True,
            text=True,
            env={**variables, "PYTHONPATH": os.pathsep.join([str(ROOT), *sys.path[1:]])},
        )
        for more in ((), ("--index", str(folder)))
    ]
    sentence = (
        "user 54321 has no home directory, so there is no place for the cache; name a folder for "
        "it in EQUIVEC_CACHE\n"
    )
    assert (found[0].stderr, found[0].returncode) == (sentence, 2)
    assert found[1].returncode == 0, found[1].stderr


def test_without_a_name_the_default_index_is_built_once_and_asked(tmp_path: Path) -> None:
    few = tmp_path / "few.txt"
    few.write_text("tan x\ndiv sin x cos x\nsin x\n")
    # The bundled expressions are many; these stand for them.
    variables = {"EQUIVEC_CACHE": str(tmp_path / "cache"), "EXPRESSIONS": str(few)}
    first, second = (run("search", "sin(x)/cos(x)", "-k", "2", **variables) for _ in range(2))
    words = [re.split(" {2,}", line)[1] for line in first.stdout.splitlines()]
    assert words == ["equal over the reals", "equal over the reals"]
    assert first.stdout == second.stdout
    told = [result.stderr.splitlines() for result in (first, second)]
    assert told[0][0].startswith(f"building the default index in {tmp_path / 'cache'}/index-")
    assert [len(lines) for lines in told] == [2, 1]
    assert run("index", "info", **variables).stdout.startswith("3 expressions in 1 segment, ")


def test_a_corpus_becomes_an_index(tmp_path: Path) -> None:
    rows = [Row(0, text, 1, "rules", "", False, "train") for text in ("sin x", "cos x")]
    write_corpus(tmp_path / "corpus", to_table(rows), {})
    made = run("index", "build", str(tmp_path / "corpus"), "--index", str(tmp_path / "index"))
    assert made.stderr.endswith("index: 2 expressions\n")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["search", "sin("], "column 4: '(' is never closed\n  sin(\n     ^\n"),
        (
            ["index", "add", "-"],
            "name the index with --index: a folder, or milvus://host:19530/collection\n",
        ),
        (
            ["search", "x", "--min-operators", "-1"],
            "min_operators must be at least 0, not -1\n",
        ),
        (
            ["search", "x", "--index", "/nowhere"],
            "/nowhere is not an index: it has no manifest.json; make one with: "
            "equivec index build FILE --index /nowhere\n",
        ),
        (
            ["index", "build", "-", "--index", "here", "--executor", "local"],
            "workers cannot share stdin; name a file, or leave out --executor\n",
        ),
        (
            ["index", "build", "/nowhere", "--index", "/tmp"],
            "there is no file or corpus /nowhere\n",
        ),
        (
            ["search", "x", "--contains", "sine", "--index", "/nowhere"],
            "'sine' is not a symbol of expressions; did you mean 'sin'?\n",
        ),
    ],
)
def test_bad_input_is_one_sentence(arguments: list[str], message: str) -> None:
    assert run(*arguments) == Result("", message, 2)


def test_an_index_of_a_model_that_is_elsewhere_asks_for_its_folder(tmp_path: Path) -> None:
    Index.build(["sin(x)"], FakeEncoder("mine"), tmp_path / "index")
    asked = command.run("search", "x", "--index", str(tmp_path / "index"))
    assert (asked.stdout, asked.code) == ("", 2)
    assert asked.stderr.startswith(
        f"{tmp_path / 'index'} was made with the model 'mine'; name it with --model"
    )


def test_a_bad_line_is_named_and_the_build_goes_on_once_it_is_mended(tmp_path: Path) -> None:
    source, folder = tmp_path / "some.txt", str(tmp_path / "index")
    source.write_text("sin(x)\ncoss(x)\n")
    broken = run("index", "build", str(source), "--index", folder)
    assert broken.code == 2
    assert broken.stderr.startswith(f"{source}, line 2: column 1: 'coss' is not a symbol")
    source.write_text("sin(x)\ncos(x)\n")
    assert run("index", "build", str(source), "--index", folder, "--resume").code == 0

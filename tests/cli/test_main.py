"""Laws of the whole command line: names, outputs, help, exit codes."""

from __future__ import annotations

import inspect
import json
import sys
from typing import TYPE_CHECKING, Any

import pytest
import typer
from typer.core import TyperGroup

from equivec.cli import main
from equivec.cli.app import names
from equivec.corpus.sources import SOURCE_KINDS
from equivec.pipeline.evaluation import EVERY
from support.command import Result

if TYPE_CHECKING:
    from collections.abc import Callable

ROOT = typer.main.get_command(main.app)
COMMANDS = tuple(names(ROOT))
# Their options are made of the settings of a training, or draw the report of one paper.
APART = set()


def command_of(name: str) -> Any:
    command = ROOT
    for word in name.split():
        command = command.commands[word]
    return command


def options_of(name: str) -> list[Any]:
    return [each for each in command_of(name).params if each.param_type_name == "option"]


def arguments_of(name: str) -> list[Any]:
    return [each for each in command_of(name).params if each.param_type_name == "argument"]


def source_of(name: str) -> str:
    return inspect.getsource(command_of(name).callback)


@pytest.fixture
def run(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Callable[..., Result]:
    """The command line, run in this process."""

    def run(*arguments: str) -> Result:
        monkeypatch.setattr(sys, "argv", ["equivec", *arguments])
        with pytest.raises(SystemExit) as ended:
            main.main()
        out, err = capsys.readouterr()
        return Result(out, err, ended.value.code or 0)

    return run


GROUPS = [name for name, each in ROOT.commands.items() if isinstance(each, TyperGroup)]


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_that_writes_has_o_and_out_or_names_an_index(name: str) -> None:
    spellings = [{*each.opts} for each in options_of(name)]
    if "wrote" in source_of(name) and name not in APART - {"train"}:
        assert any({"-o", "--out"} <= each or "--index" in each for each in spellings)
    assert all(("-o" in each) == ("--out" in each) for each in spellings)
    assert "out" not in [each.name for each in arguments_of(name)]


@pytest.mark.parametrize("name", COMMANDS)
def test_a_help_text_names_each_option_once(name: str) -> None:
    every = [
        spelling for each in options_of(name) for spelling in (*each.opts, *each.secondary_opts)
    ]
    assert len(every) == len(set(every))
    assert all(each.help for each in options_of(name))


def test_an_option_of_one_name_means_the_same_in_every_command() -> None:
    # A command says of what kind its output is; each time limit is one on judging.
    with_own_words = {"--out", "--to", "--time-limit"}
    meanings: dict[str, set[str]] = {}
    for name in set(COMMANDS) - APART:
        for each in options_of(name):
            spelling = each.opts[-1]
            meanings.setdefault(spelling, set()).add(each.help)
    assert {name for name, found in meanings.items() if len(found) > 1} == with_own_words


def test_no_two_options_differ_by_a_letter_only() -> None:
    spellings = {each.opts[-1] for name in set(COMMANDS) - APART for each in options_of(name)}
    assert {name for name in spellings if f"{name}s" in spellings} == set()


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_that_prints_lines_has_json(name: str) -> None:
    prints = " show(" in source_of(name) and name not in APART
    assert not prints or "--json" in [each.opts[-1] for each in options_of(name)]


@pytest.mark.parametrize("group", [(), *zip(GROUPS)])
def test_the_list_of_commands_tells_each_of_them_in_a_whole_sentence(
    group: tuple[str, ...], run: Callable[..., Result]
) -> None:
    told = run(*group, "--help").stdout.partition("Commands:")[2].splitlines()[1:]
    assert told
    for line in told:
        assert not line.endswith("...") or " ".join([*group, line.split()[0]]) in APART, line


def test_help_has_the_names_that_are_in_the_tables(run: Callable[..., Result]) -> None:
    for table, command in ((EVERY, "evaluate run"), (SOURCE_KINDS, "corpus sources")):
        told = " ".join(run(*command.split(), "--help").stdout.split())
        assert ", ".join(table) in told


ABSENT = "nowhere/absent.txt"
MISSING_FILES = {
    "embed": [ABSENT],
    "train": ["fast", ABSENT, "-o", "{out}", "--set", "steps=1"],
    "index build": [ABSENT, "--index", "{out}"],
    "index add": ["-", "--index", ABSENT],
    "index remove": ["-", "--index", ABSENT],
    "index info": ["--index", ABSENT],
    "index verify": ["--index", ABSENT],
    "index tune": ["--index", ABSENT],
    "search": ["x", "--index", ABSENT],
    "analogy": ["x", "y", "z", "--index", ABSENT],
    "serve": ["--index", ABSENT],
    "corpus build": ["-o", "{out}", "--sources", ABSENT],
    "corpus describe": [ABSENT],
    "corpus export": [ABSENT, "-o", "{out}"],
    "corpus sample": [ABSENT, "-o", "{out}"],
    "corpus verify": [ABSENT],
    "model export": [ABSENT],
    "model generate": ["default", ABSENT, "-o", "{out}"],
    "evaluate run": ["bag-of-tokens", "-o", "{out}", "--corpus", ABSENT],
    "evaluate benchmark": [ABSENT],
    "evaluate accuracy": [ABSENT],
    "semvec train": ["fast", "all:combined", "--data", ABSENT, "-o", "{out}", "--set", "steps=1"],
    "semvec worlds": ["all", "--data", ABSENT, "-o", "{out}"],
    "reading": [ABSENT],
    "semvec score": [ABSENT, "--data", ABSENT],
}
READ_NO_FILE = {
    *("parse", "check", "similarity", "equivalents"),
    *("corpus sources", "corpus analogies"),
}


@pytest.mark.parametrize("name", MISSING_FILES)
def test_a_file_that_is_missing_is_one_sentence(
    name: str, run: Callable[..., Result], tmp_path: Any
) -> None:
    arguments = [each.format(out=tmp_path / "out") for each in MISSING_FILES[name]]
    result = run(*name.split(), *arguments)
    assert (result.stdout, result.code) == ("", 2), result
    assert ABSENT in result.stderr
    told = [line for line in result.stderr.splitlines() if not line.startswith("networks")]
    assert len(told[-1:]) == 1
    assert "Traceback" not in result.stderr


def test_every_command_that_reads_files_is_tried_without_them() -> None:
    assert {*MISSING_FILES} | READ_NO_FILE == {*COMMANDS}


@pytest.mark.parametrize(
    ("arguments", "output", "code"),
    [
        (["parse", "-x^2", "--to", "infix"], "-x**2\n", 0),
        (["parse", "--to", "infix", "-(x + 1)"], "-(x + 1)\n", 0),
        (["parse", r"-\frac{1}{x}", "--to=infix"], "-(1/x)\n", 0),
        (["parse", "--", "-x", "--to"], "", 2),
        (["check", "x", "-(-x)"], "EQUAL ", 0),
        (["check", "-x", "-k"], "DIFFERENT ", 1),
        (["search", "-x^2", "--index", "/nowhere"], "", 2),
        (["embed", "-"], "", 2),
    ],
)
def test_a_formula_may_begin_with_a_minus(
    arguments: list[str], output: str, code: int, run: Callable[..., Result]
) -> None:
    result = run(*arguments)
    assert result.code == code
    assert result.stdout.startswith(output)
    assert "option" not in result.stderr


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ("parse --tp x", "'equivec parse' has no option --tp; did you mean --to?"),
        ("search x --jsn", "'equivec search' has no option --jsn; did you mean --json?"),
        (
            "corpus build -x",
            "'equivec corpus build' has no option -x; 'equivec corpus build --help' "
            "lists the options",
        ),
        ("--verson", "'equivec' has no option --verson; did you mean --version?"),
        ("search x --verbose", "--verbose stands before the command: equivec --verbose search"),
        ("parse x -json", "'equivec parse' takes 1 argument, not 2: x -json; did you mean --json?"),
        ("check x y z", "'equivec check' takes 2 arguments, not 3: x y z"),
        ("check x", "missing argument 'right'"),
        (
            "check x x --judge us",
            "invalid value for '--judge': 'us' is not one of 'values', 'sympy'",
        ),
        ("serach x", "there is no command 'equivec serach'; did you mean 'equivec search'?"),
        (
            "benchmark x",
            "there is no command 'equivec benchmark'; did you mean 'equivec evaluate benchmark'?",
        ),
        (
            "build x",
            "there is no command 'equivec build'; did you mean 'equivec index build' or "
            "'equivec corpus build'?",
        ),
        (
            "index bild x",
            "there is no command 'equivec index bild'; did you mean 'equivec index build'?",
        ),
        (
            "index zzz",
            "there is no command 'equivec index zzz'; 'equivec index --help' lists the commands",
        ),
        (
            "index build --vector-type int9 x",
            "invalid value for '--vector-type': 'int9' is not one of 'int8', 'float16', 'float32'",
        ),
        (
            "corpus sources -o x --kind odd",
            "'odd' is not a kind of sources; choose from laws, "
            "rational, trigonometric, constants, compositions, unmixed",
        ),
    ],
)
def test_a_wrong_name_is_answered_with_the_nearest(
    arguments: str, sentence: str, run: Callable[..., Result]
) -> None:
    assert run(*arguments.split()) == Result("", f"{sentence}\n", 2)


@pytest.mark.parametrize("group", [(), *zip(GROUPS)])
def test_without_a_command_the_help_is_shown(
    group: tuple[str, ...], run: Callable[..., Result]
) -> None:
    result = run(*group)
    assert (result.stdout, result.code) == ("", 2)
    assert result.stderr == run(*group, "--help").stdout


def test_a_shell_completes_commands_and_their_options(
    run: Callable[..., Result], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "--install-completion" in run("--help").stdout
    monkeypatch.setenv("_EQUIVEC_COMPLETE", "complete_bash")
    for typed, expected in (("equivec sea", "search"), ("equivec index bu", "build")):
        monkeypatch.setenv("COMP_WORDS", typed)
        monkeypatch.setenv("COMP_CWORD", str(len(typed.split()) - 1))
        assert run().stdout.split() == [expected]


def test_quiet_tells_results_and_errors_only_and_verbose_the_steps_too(
    run: Callable[..., Result], tmp_path: Any
) -> None:
    def build(*options: str) -> Result:
        return run(
            *(*options, "corpus", "sources", "--count", "3"),
            *("-o", str(tmp_path / "sources.txt")),
        )

    assert build().stderr.startswith("wrote ")
    assert build("--quiet").stderr == ""
    assert run("--quiet", "parse", "x +").stderr.startswith("column 4")
    assert json.loads(run("--quiet", "parse", "x", "--json").stdout)["infix"] == "x"
    told = run("--verbose", "embed", "x").stderr
    assert "equivec.embed.runtime: " in told
    assert run("embed", "x").stderr == ""

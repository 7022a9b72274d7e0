"""How the command line reads its words: commands in groups, options, formulas such as `-x^2`."""

from __future__ import annotations

import re
from difflib import get_close_matches
from importlib import import_module
from typing import TYPE_CHECKING, Any

import typer
from typer.core import TyperCommand, TyperGroup

from equivec.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from typer.core import TyperOption

FINDING, BAD_INPUT = 1, 2  # exit codes
_TABLE = re.compile(r"\{([\w.]+):(\w+)\}")


class Command(TyperCommand):
    """A command that names the nearest option for an option it does not have."""

    takes_formulas = False

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Write the help; `{module:TABLE}` in a help text becomes the names in that table."""
        options: list[Any] = [*self.get_params(ctx)]
        for each in options:
            each.help = _TABLE.sub(_names_in, each.help or "")
        super().format_help(ctx, formatter)

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read the words after the command; options may stand anywhere among them."""
        if ctx.resilient_parsing:  # a shell asks for completions
            return super().parse_args(ctx, args)
        options, words = self._parted(ctx, args)
        sizes = [each.nargs for each in self.get_params(ctx) if each.param_type_name == "argument"]
        if -1 not in sizes and len(words) > sum(sizes):
            raise _too_many(ctx, self, sum(sizes), words)
        return super().parse_args(ctx, [*options, "--", *words])

    def _parted(self, ctx: Any, args: list[str]) -> tuple[list[str], list[str]]:
        """The options with their values, and the other words."""
        options: list[str] = []
        words: list[str] = []
        rest = iter(args)
        for word in rest:
            if word == "--":
                words += rest
            elif not word.startswith("-") or word == "-":
                words.append(word)
            elif option := _option_of(self, ctx, word):
                options.append(word)
                if _lacks_value(option, word):
                    options += [value for value in [next(rest, None)] if value is not None]
            elif self.takes_formulas and not word.startswith("--"):
                words.append(word)
            else:
                raise _no_option(ctx, self, word)
        return options, words


class FormulaCommand(Command):
    """A command whose arguments are formulas: a word with one minus in front is a formula."""

    takes_formulas = True


class Group(TyperGroup):
    """A group that names the nearest command for a command it does not have."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read the options of the group; without a command, show the help."""
        if ctx.resilient_parsing:
            return super().parse_args(ctx, args)
        if not args:
            typer.echo(ctx.get_help(), err=True)
            raise typer.Exit(BAD_INPUT)
        for word in args:
            if not word.startswith("-"):
                break
            if _option_of(self, ctx, word) is None:
                raise _no_option(ctx, self, word)
        return super().parse_args(ctx, args)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """The command of a name."""
        if self.get_command(ctx, args[0]) is None and not ctx.resilient_parsing:
            near = [f"'{ctx.command_path} {name}'" for name in nearest(args[0], list(names(self)))]
            hint = f"did you mean {' or '.join(near)}?"
            if not near:
                hint = f"'{ctx.command_path} --help' lists the commands"
            raise ConfigError(f"there is no command '{ctx.command_path} {args[0]}'; {hint}")
        return super().resolve_command(ctx, args)


class App(typer.Typer):
    """A command line, or a group of commands in it."""

    def __init__(self, description: str, **settings: Any) -> None:
        super().__init__(
            cls=Group,
            help=description,
            rich_markup_mode=None,
            pretty_exceptions_enable=False,
            **settings,
        )

    def command(self, name: str | None = None, **settings: Any) -> Callable[[Any], Any]:
        """Register a function as a command."""
        return super().command(name, **{"cls": Command, **settings})


def names(group: TyperGroup) -> Iterator[str]:
    """The commands of a group; a command of an inner group has both names, as in `index build`."""
    for name, command in group.commands.items():
        if isinstance(command, TyperGroup):
            yield from (f"{name} {inner}" for inner in names(command))
        else:
            yield name


def nearest(name: str, commands: list[str]) -> list[str]:
    """The commands that somebody may have meant.

    >>> nearest("build", ["index build", "corpus build", "search"])
    ['index build', 'corpus build']
    >>> nearest("serach", ["index build", "corpus build", "search"])
    ['search']
    """
    verbs = {each.split()[-1] for each in commands}
    alike = [name] if name in verbs else get_close_matches(name, sorted({*verbs, *commands}), n=1)
    return [each for each in commands if {each, each.split()[-1]} & {*alike}]


def _names_in(table: re.Match[str]) -> str:
    return ", ".join(getattr(import_module(table[1]), table[2]))


def _option_of(command: TyperCommand | TyperGroup, ctx: Any, word: str) -> TyperOption | None:
    """The option that a word names: `--out`, `--out=file`, `-o` or `-k5`."""
    for option in command.get_params(ctx):
        if option.param_type_name == "option":
            own = {*option.opts, *option.secondary_opts}
            if word.split("=")[0] in own or (word[:2] in own and word[2:].isdigit()):
                return option  # type: ignore[return-value]
    return None


def _lacks_value(option: TyperOption, word: str) -> bool:
    """Whether the value of an option is the next word."""
    return word in {*option.opts, *option.secondary_opts} and not (option.is_flag or option.count)


def _no_option(ctx: Any, command: TyperCommand | TyperGroup, word: str) -> ConfigError:
    """The complaint about an option that a command does not have."""
    name, root = word.split("=")[0], ctx.find_root()
    if command is not root.command and _option_of(root.command, root, word):
        rest = ctx.command_path.removeprefix(root.command_path)
        return ConfigError(f"{name} stands before the command: {root.command_path} {name}{rest}")
    near = _nearest_option(ctx, command, name)
    hint = f"did you mean {near}?" if near else f"'{ctx.command_path} --help' lists the options"
    return ConfigError(f"'{ctx.command_path}' has no option {name}; {hint}")


def _too_many(ctx: Any, command: TyperCommand, count: int, words: list[str]) -> ConfigError:
    """The complaint about surplus words; one that begins with a minus may be meant as an option."""
    near = [_nearest_option(ctx, command, word) for word in words if word.startswith("-")]
    hint = "".join(f"; did you mean {option}?" for option in near[:1] if option)
    return ConfigError(
        f"'{ctx.command_path}' takes {count} argument{'s'[: count != 1]}, not {len(words)}: "
        f"{' '.join(words)}{hint}"
    )


def _nearest_option(ctx: Any, command: TyperCommand | TyperGroup, word: str) -> str | None:
    own = [name for each in command.get_params(ctx) for name in (*each.opts, *each.secondary_opts)]
    long = [name for name in own if name.startswith("--")]
    return next(iter(get_close_matches(f"--{word.lstrip('-')}", long, n=1)), None)

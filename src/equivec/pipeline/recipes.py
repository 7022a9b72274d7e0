"""Recipes: the settings of a training as TOML, a table for each config, from a file or bundled.

A key is a field of a frozen dataclass: its name, its type and its default are written there, once.
`--set key=value` changes one; a value is written as in TOML, a word also without quotes.
"""

from __future__ import annotations

import json
import tomllib
from dataclasses import fields
from difflib import get_close_matches
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, get_args, get_type_hints

from equivec.errors import ConfigError, FileFormatError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

R = TypeVar("R")

Tables = dict[str, dict[str, Any]]

NONE = "none"  # what TOML has no word for

_WORDS = {int: "a whole number", float: "a number", str: "a word", bool: "true or false"}


def read_tables(kind: type[Any], shelf: str, name: str, changes: Sequence[str] = ()) -> Tables:
    """The tables of a bundled recipe, or of a file, with changes; every key is a field.

    `kind` is a dataclass of dataclasses, one for each table; `shelf` is the folder of the bundled
    recipes.
    """
    tables: Tables = {table: {} for table in _configs(kind)}
    path = _find(shelf, name)
    for table, values in _parsed(path).items():
        if table not in tables or not isinstance(values, dict):
            raise ConfigError(f"{path}: {_unknown(table, tables, 'table of a recipe')}")
        for key, value in values.items():
            _set(kind, tables, key, value, [table], f"{path}: ")
    for change in changes:
        key, is_given, text = change.partition("=")
        if not is_given:
            raise ConfigError(f"--set wants key=value, such as batch_size=64, not {change!r}")
        table, is_named, field = key.strip().rpartition(".")
        if is_named and table not in tables:
            raise ConfigError(_unknown(table, tables, "table of a recipe"))
        _set(kind, tables, field, _value(text.strip()), [table] if is_named else [*tables])
    return tables


def build(kind: type[R], tables: Tables) -> R:
    """The recipe of tables; the configs check their values."""
    configs = _configs(kind)
    return kind(**{table: configs[table](**values) for table, values in tables.items()})


def write_recipe(recipe: object) -> str:
    """A recipe as TOML, with every key; reading it gives the same recipe.

    >>> from dataclasses import dataclass
    >>> from equivec.model.settings import TrainingConfig
    >>> @dataclass
    ... class Recipe:
    ...     training: TrainingConfig
    >>> write_recipe(Recipe(TrainingConfig(steps=None))).splitlines()[:3]
    ['[training]', 'batch_size = 256', 'learning_rate = 0.0001']
    """
    tables = []
    for table in fields(recipe):  # type: ignore[arg-type]
        config = getattr(recipe, table.name)
        lines = (f"{key.name} = {_text(getattr(config, key.name))}\n" for key in fields(config))
        tables.append(f"[{table.name}]\n{''.join(lines)}")
    return "\n".join(tables)


def bundled(shelf: str) -> list[str]:
    """The names of the recipes that are bundled."""
    folder = files("equivec") / "recipes" / shelf
    return sorted(path.name.removesuffix(".toml") for path in folder.iterdir())


def _find(shelf: str, name: str) -> Path:
    if name in bundled(shelf):
        return Path(str(files("equivec") / "recipes" / shelf / f"{name}.toml"))
    if not Path(name).is_file():
        raise ConfigError(
            f"{name!r} is no bundled recipe ({', '.join(bundled(shelf))}) and no file of TOML"
        )
    return Path(name)


def _parsed(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise FileFormatError(f"{path} is not TOML: {error}") from None
    except OSError as error:
        raise FileFormatError(f"{path} cannot be read: {error.strerror}") from None


def _configs(kind: type[Any]) -> Mapping[str, type[Any]]:
    """The dataclass of each table."""
    hints = get_type_hints(kind)
    return {table.name: hints[table.name] for table in fields(kind)}


def _set(
    kind: type[Any],
    tables: Tables,
    key: str,
    value: object,
    within: Sequence[str],
    where: str = "",
) -> None:
    """Set a key of one of some tables; its value must be of the field's type."""
    configs = _configs(kind)
    hints = {table: get_type_hints(configs[table]) for table in within}
    for table, known in hints.items():
        if key in known:
            tables[table][key] = _converted(key, value, known[key], where)
            return
    known_keys = [name for known in hints.values() for name in known]
    raise ConfigError(where + _unknown(key, known_keys, "setting of a training"))


def _unknown(word: str, known: Iterable[str], kind: str) -> str:
    """A sentence without its full stop, with the nearest name, or all if none is near."""
    known = list(known)
    if nearest := get_close_matches(word, known, n=1):
        return f"{word!r} is no {kind}; did you mean {nearest[0]!r}?"
    return f"{word!r} is no {kind}; choose from {', '.join(known)}"


def _converted(key: str, value: object, hint: Any, where: str) -> object:
    kinds = get_args(hint) if type(None) in get_args(hint) else (hint,)
    if type(None) in kinds and value == NONE:
        return None
    kind = kinds[0]
    if kind is float and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    if kind in _WORDS:
        if type(value) is kind:
            return value
        words = _WORDS[kind] + (f" or {NONE}" if type(None) in kinds else "")
        raise ConfigError(f"{where}{key} must be {words}, not {value!r}")
    parts = get_args(kind)  # of a tuple of numbers
    count = None if Ellipsis in parts else len(parts)
    if not isinstance(value, list) or count not in (None, len(value)):
        several = "numbers" if count is None else f"{count} numbers"
        raise ConfigError(f"{where}{key} must be {several} such as [0.5, 0.9], not {value!r}")
    return tuple(_converted(key, part, parts[0], where) for part in value)


def _value(text: str) -> object:
    """A value as TOML has it; what is none is a word."""
    try:
        return tomllib.loads(f"value = {text}")["value"]
    except tomllib.TOMLDecodeError:
        return text


def _text(value: object) -> str:
    if value is None:
        return f'"{NONE}"'
    if isinstance(value, tuple):
        return f"[{', '.join(map(_text, value))}]"
    return json.dumps(value)  # of numbers, words and truths, TOML's

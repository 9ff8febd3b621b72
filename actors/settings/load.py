"""Settings from the operator's file, the environment and the command line, or every reason why not."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from actors.settings.audit import misplaced_secrets, unknown_keys, without
from actors.settings.document import Document, read
from actors.settings.frozen_map import is_key_place
from actors.settings.layers import with_tables
from actors.settings.left_out import LeftOut
from actors.settings.problem import Problem, SettingsError, dotted_key, quote_text, render_value
from actors.settings.rule import broken_rule
from actors.settings.schema import Origin, Settings, Source
from actors.settings.toml_lines import KeyPath
from actors.settings.trust import NoTrust, Trust, place_of
from actors.settings.unnamed import (
    CONFIG_VARIABLE,
    FILE_NAME,
    Unnamed,
    is_trusted_folder,
    read_unnamed,
    settings_file,
)

HOME_VARIABLE = "AGENT_HOME"

__all__ = ["CONFIG_VARIABLE", "FILE_NAME", "HOME_VARIABLE", "load"]


def load(
    config: Path | None = None,
    *,
    environ: Mapping[str, str],
    folder: Path = Path(),
    overrides: Mapping[str, object] = MappingProxyType({}),
    tables: Mapping[str, type[BaseModel]] = MappingProxyType({}),
    trust: Trust | None = None,
) -> Settings:
    """The settings in force, with an absolute data root.

    The file is `config`, else the one `$AGENT_CONFIG` names, else `agent.toml` in `folder`; only the last may be
    missing. Over its values goes `$AGENT_HOME` (the data root) and over that `overrides`. A relative `data_root`
    counts from the folder of the file it stands in, any other from `folder`.

    A file that the caller did not name, by `config` or a full path in the variable, counts whole only if it is trusted;
    otherwise only its harmless settings do, and it stops no command.

    Args:
        config: The file named on the command line.
        environ: The environment; only the two variables above are read.
        folder: The current directory, unless a test says otherwise.
        overrides: By dotted key, what the command line decides, e.g. `{"model.name": "offline"}`.
        tables: Layer -> its settings table.
        trust: Standing of files with the user; None for a user who trusts none.

    Raises:
        SettingsError: A file that can't be read or isn't TOML; else all unknown keys, misplaced secrets and values out
            of range at once.
    """
    schema, trust = with_tables(tables), trust or NoTrust()
    name, is_named = settings_file(config, environ)
    path, place = folder / name, str(name)
    if is_named:
        file = Unnamed(read(path, place, required=True), LeftOut(), is_trusted=True)
    else:
        file = read_unnamed(path, place, schema, trust, fault_of=lambda document: _fault_of(document, schema))
    settings, sources = _validate_document(file.document, environ.get(HOME_VARIABLE, ""), overrides, schema)
    beside = path.parent.absolute()
    base = beside if sources.get("data_root") is Source.FILE else folder
    try:
        data_root = (base / settings.data_root.expanduser()).absolute()
    except RuntimeError:
        text = f"data_root = {quote_text(str(settings.data_root))}: must not begin with the ~ of a user without a home"
        raise SettingsError(_place_problem(("data_root",), text, file.document, sources)) from None
    origin = Origin(
        file=file.document.path,
        folder=beside,
        sources=MappingProxyType(sources),
        is_named=is_named,
        trusts_data=(
            _is_named_data(settings.data_root, sources)
            or (file.is_trusted and place_of(path) == place_of(folder / path.name))
            or is_trusted_folder(folder, trust)
        ),
        left_out=file.left_out,
    )
    return settings.with_root(data_root, origin)


def _fault_of(document: Document, schema: type[Settings]) -> str:
    """First reason why a document's values are no settings; empty for valid settings."""
    try:
        _validate_document(document, "", {}, schema)
    except SettingsError as error:
        return str(error.problems[0])
    return ""


def _is_named_data(data_root: Path, sources: Mapping[str, Source]) -> bool:
    """True if the caller, or a settings file that counts, named the data root; a relative variable does not count."""
    source = sources.get("data_root", Source.DEFAULT)
    if source is Source.ENVIRONMENT:
        return data_root.expanduser().is_absolute()
    return source is not Source.DEFAULT


def _validate_document(
    document: Document, home: str, overrides: Mapping[str, object], schema: type[Settings]
) -> tuple[Settings, dict[str, Source]]:
    secrets = misplaced_secrets(document.values, schema)
    values = without(document.values, set(secrets))
    unknown = unknown_keys(values, schema)
    values = without(values, set(unknown))
    problems = [document.problem(path, text) for path, text in (secrets | unknown).items()]
    sources = dict.fromkeys(_dotted_keys(values), Source.FILE)
    if home:
        sources |= _overlay(values, {"data_root": home}, Source.ENVIRONMENT)
    sources |= _overlay(values, overrides, Source.COMMAND_LINE)
    try:
        settings = schema(**values)  # type: ignore[arg-type]  # whether they fit is what this finds out
    except ValidationError as error:
        problems += [_value_problem(detail, schema, document, sources) for detail in error.errors(include_url=False)]
    else:
        if not problems:
            return settings, sources
    raise SettingsError(*problems)


def _dotted_keys(values: Mapping[str, object]) -> list[str]:
    return [
        dotted
        for name, value in values.items()
        for dotted in ([f"{name}.{key}" for key in value] if isinstance(value, dict) and value else [name])
    ]


def _overlay(values: dict[str, object], layer: Mapping[str, object], source: Source) -> dict[str, Source]:
    """Put a layer's values over `values`, and note the keys decided by the layer."""
    for key, value in layer.items():
        table, dot, name = key.rpartition(".")
        if not dot:
            values[name] = value
            continue
        below = values.setdefault(table, {})
        if isinstance(below, dict):  # otherwise the file has a value where a table belongs, and that is reported
            below[name] = value
    return dict.fromkeys(layer, source)


def _value_problem(
    detail: ErrorDetails, schema: type[Settings], document: Document, sources: Mapping[str, Source]
) -> Problem:
    path = detail["loc"]
    if is_key_place(path):
        key = path[:-1]
        return _place_problem(key, f"{dotted_key(key)}: the key {broken_rule(detail, key, schema)}", document, sources)
    is_default = _source(path, sources) is Source.DEFAULT
    value = render_value(detail["input"]) + (" (default)" if is_default else "")
    return _place_problem(path, f"{dotted_key(path)} = {value}: {broken_rule(detail, path, schema)}", document, sources)


def _place_problem(path: KeyPath, text: str, document: Document, sources: Mapping[str, Source]) -> Problem:
    match _source(path, sources):
        case Source.ENVIRONMENT:
            return Problem(HOME_VARIABLE, 0, text)
        case Source.COMMAND_LINE:
            return Problem("command line", 0, text)
        case Source.FILE | Source.DEFAULT:
            return document.problem(path, text)


def _source(path: KeyPath, sources: Mapping[str, Source]) -> Source:
    """Source of the setting at `path`, or of the setting around it."""
    names = [str(part) for part in path[:2]]
    inner = (source for key, source in sources.items() if len(names) == 1 and key.startswith(f"{names[0]}."))
    return sources.get(".".join(names)) or sources.get(names[0]) or next(inner, Source.DEFAULT)

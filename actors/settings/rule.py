"""Rule broken by a value, in the operator's words rather than pydantic's."""

from __future__ import annotations

from typing import get_args

from pydantic.fields import FieldInfo
from pydantic_core import ErrorDetails

from actors.settings.audit import table_of
from actors.settings.problem import number
from actors.settings.schema import Settings
from actors.settings.toml_lines import KeyPath

_KINDS = {
    "int_type": "a whole number",
    "float_type": "a number",
    "finite_number": "a number",
    "string_type": "text in quotes",
    "bool_type": "true or false",
    "tuple_type": 'an array, such as ["…"]',
    "dict_type": 'a table, such as { cli = "…" }',
    "model_type": "a table",
    "model_attributes_type": "a table",
}
"""Type error of pydantic -> required value, in words."""


def broken_rule(detail: ErrorDetails, path: KeyPath, schema: type[Settings] = Settings) -> str:
    """Rule for the value at `path`, e.g. `must be >= 1 and <= 10`."""
    limits = bounds(path, schema)
    match detail["type"]:
        case "value_error":
            return str(detail["ctx"]["error"])
        case "literal_error":
            return f"must be {detail['ctx']['expected']}".replace("'", '"')
        case "extra_forbidden":
            return "unknown key"
        case "dict_type" if path == ("channels",):
            return "must be tables such as [channels.123456789012345678]; the list of channels is discord.channels"
        case kind if kind in _KINDS:
            return f"must be {_KINDS[kind]}" + (f" {limits}" if limits else "")
        case _:
            return f"must be {limits}" if limits else detail["msg"]


def bounds(path: KeyPath, schema: type[Settings] = Settings) -> str:
    """Range of a setting that is a number, e.g. `>= 1 and <= 10`; empty for any other."""
    limits = field.metadata if (field := _field(path, schema)) is not None else []
    signs = {"gt": ">", "ge": ">=", "lt": "<", "le": "<="}
    ranges = [(sign, getattr(limit, name)) for limit in limits for name, sign in signs.items() if hasattr(limit, name)]
    return " and ".join(f"{sign} {number(bound)}" for sign, bound in ranges)


def _field(path: KeyPath, schema: type[Settings]) -> FieldInfo | None:
    """Field at `path`, in a table or in a table of a mapping of tables; None for a missing field."""
    setting = schema.model_fields.get(str(path[0]))
    table = table_of(setting) if setting else None
    if table is None or len(path) not in (2, 4):
        return None
    field = table.model_fields.get(str(path[1]))
    if field is None or len(path) == 2:
        return field
    inner = get_args(field.annotation)[1:]
    return inner[0].model_fields.get(str(path[3])) if inner and hasattr(inner[0], "model_fields") else None

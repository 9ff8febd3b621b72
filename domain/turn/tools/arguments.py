"""Arguments of a tool held against its schema, in bounded time: the schema is a server's and may be a trap.

Only the rules of JSON Schema that explain most mistakes are known; patterns and formats are left to the server, since
a pattern can take hours. Unknown rules permit any value.
"""

from __future__ import annotations

import json
import math
import operator
from collections.abc import Callable, Mapping
from difflib import get_close_matches

MOST_STEPS = 5_000
"""Most checks of a value or a schema; beyond this limit the arguments are left to the server."""
MOST_LEVELS = 32
_EXCERPT_CHARS = 60
_KINDS: Mapping[str, tuple[type, ...]] = {
    "object": (dict,),
    "array": (list,),
    "string": (str,),
    "number": (int, float),
    "boolean": (bool,),
    "null": (type(None),),
}


class _RuleError(Exception):
    """A rule is broken; the text names the value and the rule."""


class _TooLargeError(Exception):
    """The schema is too large or too deep to be gone through."""


_COMPARISONS: Mapping[str, tuple[str, Callable[[float, float], bool]]] = {
    "minimum": (">=", operator.ge),
    "maximum": ("<=", operator.le),
    "exclusiveMinimum": (">", operator.gt),
    "exclusiveMaximum": ("<", operator.lt),
}


def fault_of_arguments(schema: object, arguments: Mapping[str, object]) -> str:
    """First fault of a tool's arguments, by value and rule; empty without a known fault.

    Args:
        schema: The tool's schema, as the server sent it: any JSON value.
        arguments: A JSON object.
    """
    try:
        _Check(schema).check(schema, arguments, "arguments", 0)
    except _RuleError as fault:
        return str(fault)
    except _TooLargeError:
        return ""
    return ""


class _Check:
    """One walk through a schema."""

    def __init__(self, root: object) -> None:
        self._root = root
        self._steps = 0

    def check(self, schema: object, value: object, path: str, level: int) -> None:
        """Check `value` against `schema`."""
        self._steps += 1
        if self._steps > MOST_STEPS or level > MOST_LEVELS:
            raise _TooLargeError
        if schema is False:
            raise _RuleError(f"{path}: is not permitted")
        if not isinstance(schema, Mapping):
            return
        if isinstance(reference := schema.get("$ref"), str):
            self.check(self._resolve(reference), value, path, level + 1)
        _check_kind(schema.get("type"), value, path)
        _check_choice(schema, value, path)
        _check_bounds(schema, value, path)
        if isinstance(value, dict):
            self._check_object(schema, value, path, level)
        elif isinstance(value, list):
            for index, item in enumerate(value):
                self.check(schema.get("items"), item, f"{path}[{index}]", level + 1)
        self._check_combinations(schema, value, path, level)

    def _check_object(self, schema: Mapping[str, object], value: dict[str, object], path: str, level: int) -> None:
        known = schema.get("properties")
        known = known if isinstance(known, Mapping) else {}
        required = schema.get("required")
        for name in required if isinstance(required, list) else ():
            self._steps += 1
            if isinstance(name, str) and name not in value:
                raise _RuleError(f"{path}: {_quote(name)} is required")
        others = schema.get("additionalProperties")
        for name, item in value.items():
            place = f"{path}.{name[:_EXCERPT_CHARS]}"
            if name in known:
                self.check(known[name], item, place, level + 1)
            elif others is False and not schema.get("patternProperties"):
                raise _RuleError(f"{path}: there is no {_quote(name)}{_nearest(name, known)}")
            else:
                self.check(others, item, place, level + 1)

    def _check_combinations(self, schema: Mapping[str, object], value: object, path: str, level: int) -> None:
        every = schema.get("allOf")
        for each in every if isinstance(every, list) else ():
            self.check(each, value, path, level + 1)
        for name in ("anyOf", "oneOf"):
            choices = schema.get(name)
            if isinstance(choices, list) and choices:
                self._check_any(choices, value, path, level)

    def _check_any(self, choices: list[object], value: object, path: str, level: int) -> None:
        faults = []
        for each in choices:
            try:
                self.check(each, value, path, level + 1)
            except _RuleError as fault:
                faults.append(str(fault))
            else:
                return
        many = f"{path}: fits none of its {len(faults)} forms: " if len(faults) > 1 else ""
        raise _RuleError(many + faults[0])

    def _resolve(self, reference: str) -> object:
        """Part of the schema named by an internal reference; None for any other reference."""
        if reference != "#" and not reference.startswith("#/"):  # an anchor, or a place elsewhere
            return None
        at = self._root
        for part in reference[1:].split("/")[1:]:
            self._steps += 1
            key = part.replace("~1", "/").replace("~0", "~")
            at = at.get(key) if isinstance(at, Mapping) else None
        return at


def _check_kind(kind: object, value: object, path: str) -> None:
    kinds = [kind] if isinstance(kind, str) else kind if isinstance(kind, list) else []
    names = [each for each in kinds if isinstance(each, str) and (each in _KINDS or each == "integer")][:10]
    if names and not any(_is_kind(name, value) for name in names):
        raise _RuleError(f"{path} = {_quote(value)}: must be {' or '.join(names)}")


def _is_kind(name: str, value: object) -> bool:
    if isinstance(value, bool):
        return name == "boolean"
    if name == "integer":
        return isinstance(value, int) or (isinstance(value, float) and value.is_integer())
    return isinstance(value, _KINDS[name])


def _check_choice(schema: Mapping[str, object], value: object, path: str) -> None:
    choices = schema.get("enum")
    if isinstance(choices, list) and choices and not any(_is_same(value, each) for each in choices[:MOST_STEPS]):
        listed = ", ".join(_quote(each) for each in choices[:20])
        raise _RuleError(f"{path} = {_quote(value)}: must be one of {listed}")
    if "const" in schema and not _is_same(value, schema["const"]):
        raise _RuleError(f"{path} = {_quote(value)}: must be {_quote(schema['const'])}")


def _is_same(one: object, other: object) -> bool:
    return one == other and isinstance(one, bool) == isinstance(other, bool)


def _check_bounds(schema: Mapping[str, object], value: object, path: str) -> None:
    if isinstance(value, str | list):
        what = "characters" if isinstance(value, str) else "items"
        least, most = ("minLength", "maxLength") if isinstance(value, str) else ("minItems", "maxItems")
        if (bound := _number(schema.get(least))) is not None and len(value) < bound:
            raise _RuleError(f"{path}: {len(value)} {what}, at least {bound:g} are required")
        if (bound := _number(schema.get(most))) is not None and len(value) > bound:
            raise _RuleError(f"{path}: {len(value)} {what}, at most {bound:g} are permitted")
    number = _number(value)
    if number is None:
        return
    for name, (sign, is_kept) in _COMPARISONS.items():
        bound = _number(schema.get(name))
        if bound is not None and not is_kept(number, bound):
            raise _RuleError(f"{path} = {_quote(value)}: must be {sign} {bound:g}")


def _number(value: object) -> float | None:
    """Finite number; None for any other value."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return value if (isinstance(value, int) and abs(value) < 10**300) or math.isfinite(float(value)) else None


def _nearest(name: str, known: Mapping[str, object]) -> str:
    names = [each for each in list(known)[:200] if len(each) <= 100]
    close = get_close_matches(name[:100], names, n=1)
    if close:
        return f"; did you mean {_quote(close[0])}?"
    return f": known are {', '.join(map(_quote, names[:20]))}" if names else ": it takes none"


def _quote(value: object) -> str:
    """`value` as JSON on one line, cut."""
    match value:
        case dict():
            return "{…}"
        case list():
            return "[…]"
        case str() if len(value) > _EXCERPT_CHARS:
            return f"{json.dumps(value[:_EXCERPT_CHARS])}…"
        case _:
            text = json.dumps(value)
            return text if len(text) <= _EXCERPT_CHARS else f"{text[:_EXCERPT_CHARS]}…"

#!/usr/bin/env -S python3 -I
"""Sample server of the Model Context Protocol: units, dates and sums, over stdin and stdout.

Needs Python 3.9 and no packages, so it runs in every sandbox; `agent try` is configured with it. Start your own servers
the same way: `[mcp.servers.<name>]` with a `command`. Messages are lines of JSON, and logs go to stderr.
"""

from __future__ import annotations

import ast
import calendar
import json
import math
import operator
import sys
from datetime import date, timedelta

VERSIONS = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
"""Versions of the protocol, oldest first."""
INVALID_PARAMS, NO_METHOD, NOT_FOUND, INVALID_REQUEST, NO_JSON = -32602, -32601, -32002, -32600, -32700
LONGEST_SUM = 200
LARGEST = 10**15
UNITS = {
    "length": {"m": 1, "km": 1000, "cm": 0.01, "mm": 0.001, "mi": 1609.344, "yd": 0.9144, "ft": 0.3048, "in": 0.0254},
    "mass": {"kg": 1, "g": 0.001, "t": 1000, "lb": 0.45359237, "oz": 0.028349523125, "st": 6.35029318},
    "volume": {"l": 1, "ml": 0.001, "m3": 1000, "gal": 3.785411784, "pt": 0.473176473, "cup": 0.2365882365},
    "time": {"s": 1, "min": 60, "h": 3600, "d": 86400, "wk": 604800},
    "data": {"B": 1, "kB": 1000, "MB": 10**6, "GB": 10**9, "KiB": 1024, "MiB": 1024**2, "GiB": 1024**3},
    "speed": {"m/s": 1, "km/h": 1 / 3.6, "mph": 0.44704, "kn": 1852 / 3600},
}
"""Quantity -> unit -> its size in the first unit."""
TEMPERATURES = {"C": (1, 0), "F": (5 / 9, -32 * 5 / 9), "K": (1, -273.15)}
"""Unit -> factor and offset to degrees Celsius."""
OPERATORS = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.USub: operator.neg,
    ast.UAdd: operator.pos,
}
FUNCTIONS = {"sqrt": math.sqrt, "round": round, "abs": abs, "log": math.log, "sin": math.sin, "cos": math.cos}
CONSTANTS = {"pi": math.pi, "e": math.e}


class MistakeError(ValueError):
    """Arguments that make no sense; the model reads the text and calls again."""


class ProtocolError(Exception):
    """Request forbidden by the protocol."""

    def __init__(self, code, text):
        super().__init__(text)
        self.code = code


def convert(value, unit, to):
    """Amount of `to` that equals `value` of `unit`."""
    if unit in TEMPERATURES and to in TEMPERATURES:
        factor, offset = TEMPERATURES[unit]
        back, shift = TEMPERATURES[to]
        return {"value": _round_value((value * factor + offset - shift) / back), "unit": to}
    for sizes in UNITS.values():
        if unit in sizes and to in sizes:
            return {"value": _round_value(value * sizes[unit] / sizes[to]), "unit": to}
    raise MistakeError(f"{unit!r} and {to!r} are not units of the same quantity; read the resource almanac://units")


def days_between(start, end):
    """Days from one date to another, with both days of the week."""
    first, last = _date(start), _date(end)
    return {"days": (last - first).days, "start": first.strftime("%A"), "end": last.strftime("%A")}


def add_days(start, days):
    """Date so many days after another."""
    try:
        day = _date(start) + timedelta(days=days)
    except OverflowError:
        raise MistakeError(f"{days} days after {start} is beyond the calendar") from None
    return {"date": day.isoformat(), "weekday": day.strftime("%A"), "iso_week": day.isocalendar()[1]}


def calculate(expression):
    """Value of a sum such as `(3 + 4) * sqrt(2)`."""
    if len(expression) > LONGEST_SUM:
        raise MistakeError(f"a sum has at most {LONGEST_SUM} characters")
    try:
        value = _value(ast.parse(expression, mode="eval").body)
    except (SyntaxError, TypeError, ArithmeticError, RecursionError, ValueError) as error:
        raise MistakeError(f"{expression!r} has no value: {error}") from None
    return {"value": _round_value(value)}


def _value(node):
    if isinstance(node, ast.Constant) and type(node.value) in (int, float):
        value = node.value
    elif isinstance(node, ast.Name) and node.id in CONSTANTS:
        value = CONSTANTS[node.id]
    elif isinstance(node, ast.BinOp) and type(node.op) in OPERATORS:
        value = OPERATORS[type(node.op)](_value(node.left), _value(node.right))
    elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow):
        value = math.pow(_value(node.left), _value(node.right))  # of floats, which overflow instead of growing
    elif isinstance(node, ast.UnaryOp) and type(node.op) in OPERATORS:
        value = OPERATORS[type(node.op)](_value(node.operand))
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in FUNCTIONS:
        value = FUNCTIONS[node.func.id](*map(_value, node.args))
    else:
        raise MistakeError("it may hold numbers, + - * / // % **, brackets, pi, e and " + ", ".join(FUNCTIONS))
    if abs(value) > LARGEST:
        raise MistakeError("the numbers become too large")
    return value


def _round_value(value):
    """A value for JSON, without the noise of binary fractions."""
    if math.isnan(value) or math.isinf(value):
        raise MistakeError("the value is not a number")
    return float(f"{value:.12g}")


def _date(text):
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise MistakeError(f"{text!r} is not a date such as 2026-11-29") from None


def _tool(function, description, result, **parameters):
    """Function, and its entry in the list of tools; both schemas are objects of required fields."""

    def schema(fields):
        properties = {name: {"type": kind, "description": text} for name, (kind, text) in fields.items()}
        return {"type": "object", "properties": properties, "required": list(fields), "additionalProperties": False}

    entry = {
        "name": function.__name__,
        "title": function.__name__.replace("_", " "),
        "description": description,
        "inputSchema": schema(parameters),
        "outputSchema": schema(result),
        "annotations": {"readOnlyHint": True, "openWorldHint": False},
    }
    return function, entry


VALUE = ("number", "result")
DAY = ("string", "date as YYYY-MM-DD")
TOOLS = {
    entry["name"]: (function, entry)
    for function, entry in (
        _tool(
            convert,
            "Convert a value between units of length, mass, volume, time, data, speed or temperature.",
            {"value": VALUE, "unit": ("string", "unit of the value")},
            value=("number", "value to convert"),
            unit=("string", "its unit, such as km, lb, gal, MiB, mph or F"),
            to=("string", "unit of the result"),
        ),
        _tool(
            days_between,
            "Count the days between two dates, and name both days of the week.",
            {"days": ("integer", "days"), "start": ("string", "day of the week"), "end": ("string", "day of the week")},
            start=DAY,
            end=DAY,
        ),
        _tool(
            add_days,
            "Find the date a number of days after another, or before it.",
            {"date": DAY, "weekday": ("string", "day of the week"), "iso_week": ("integer", "week of the year")},
            start=DAY,
            days=("integer", "days to add; negative for earlier"),
        ),
        _tool(
            calculate,
            "Calculate a sum with + - * / // % **, brackets, pi, e and " + ", ".join(FUNCTIONS) + ".",
            {"value": VALUE},
            expression=("string", "sum, such as (3 + 4) * sqrt(2)"),
        ),
    )
}
RESOURCES = [
    {"uri": "almanac://units", "name": "units", "description": "Units that convert knows.", "mimeType": "text/plain"}
]
TEMPLATES = [
    {
        "uriTemplate": "almanac://calendar/{year}/{month}",
        "name": "calendar",
        "description": "Calendar of a month.",
        "mimeType": "text/plain",
    }
]
PROMPTS = [
    {
        "name": "countdown",
        "description": "Ask how long it is until an event.",
        "arguments": [
            {"name": "event", "description": "name of the event", "required": True},
            {"name": "day", "description": "its date as YYYY-MM-DD", "required": True},
        ],
    }
]
KINDS = {"string": str, "number": (int, float), "integer": int}


def call_tool(params):
    """Result of a tool; a mistake in the arguments is a result, too, with `isError`."""
    if params.get("name") not in TOOLS:
        raise ProtocolError(INVALID_PARAMS, f"there is no tool {params.get('name')!r}")
    function, entry = TOOLS[params["name"]]
    try:
        result = function(**_check_arguments(params.get("arguments") or {}, entry["inputSchema"]["properties"]))
    except MistakeError as error:
        return {"content": [{"type": "text", "text": str(error)}], "isError": True}
    text = json.dumps(result)
    return {"content": [{"type": "text", "text": text}], "structuredContent": result, "isError": False}


def _check_arguments(arguments, wanted):
    if arguments.keys() != wanted.keys():
        raise MistakeError(f"the arguments are {', '.join(wanted)}; this call has {', '.join(arguments) or 'none'}")
    for name, value in arguments.items():
        kind = wanted[name]["type"]
        if not isinstance(value, KINDS[kind]) or isinstance(value, bool):
            raise MistakeError(f"{name} must be of type {kind}, and {json.dumps(value)[:50]} is not")
        if kind != "string" and not -LARGEST <= value <= LARGEST:
            raise MistakeError(f"{name} is not within {LARGEST} of 0")
    return arguments


def read_resource(params):
    """Text of a resource."""
    uri = params.get("uri")
    parts = uri.split("/") if isinstance(uri, str) else []
    if uri == "almanac://units":
        rows = {**UNITS, "temperature": TEMPERATURES}
        text = "\n".join(f"{quantity}: {', '.join(sizes)}" for quantity, sizes in rows.items())
    elif parts[:3] == ["almanac:", "", "calendar"] and [len(part) for part in parts[3:]] in ([4, 1], [4, 2]):
        try:
            text = calendar.month(*map(int, parts[3:]))
        except (ValueError, IndexError):  # letters, or a month beyond 12
            raise ProtocolError(NOT_FOUND, f"there is no month {'/'.join(parts[3:])}") from None
    else:
        raise ProtocolError(NOT_FOUND, f"there is no resource {uri!r}")
    return {"contents": [{"uri": uri, "mimeType": "text/plain", "text": text}]}


def get_prompt(params):
    """Messages of a prompt."""
    arguments = params.get("arguments") or {}
    if params.get("name") != "countdown" or not {"event", "day"} <= arguments.keys():
        raise ProtocolError(INVALID_PARAMS, "there is one prompt, countdown, with event and day")
    event, day = arguments["event"], arguments["day"]
    text = f"How many days is it from today until {event} on {day}, and which day of the week is it?"
    return {"description": PROMPTS[0]["description"], "messages": [_user_message(text)]}


def _user_message(text):
    return {"role": "user", "content": {"type": "text", "text": text}}


def initialize(params):
    """Version of the protocol known to both sides, and the server's features."""
    wanted = params.get("protocolVersion")
    return {
        "protocolVersion": wanted if wanted in VERSIONS else VERSIONS[-1],
        "capabilities": {"tools": {}, "resources": {}, "prompts": {}},
        "serverInfo": {"name": "almanac", "title": "Almanac", "version": "1.0.0"},
        "instructions": "Sample server: units, dates and sums.",
    }


METHODS = {
    "initialize": initialize,
    "ping": lambda _params: {},
    "tools/list": lambda _params: {"tools": [entry for _, entry in TOOLS.values()]},
    "tools/call": call_tool,
    "resources/list": lambda _params: {"resources": RESOURCES},
    "resources/templates/list": lambda _params: {"resourceTemplates": TEMPLATES},
    "resources/read": read_resource,
    "prompts/list": lambda _params: {"prompts": PROMPTS},
    "prompts/get": get_prompt,
}


def answer(line):
    """Answer to a line of input; None for a notification."""
    try:
        message = json.loads(line)
    except (ValueError, RecursionError):
        return _error(None, NO_JSON, "the line is not JSON")
    if not isinstance(message, dict) or not isinstance(message.get("method"), str):
        return _error(None, INVALID_REQUEST, "the message is not a request")
    if "id" not in message:
        return None
    try:
        if message["method"] not in METHODS:
            raise ProtocolError(NO_METHOD, f"there is no method {message['method']!r}")
        params = message.get("params") or {}
        return {"jsonrpc": "2.0", "id": message["id"], "result": METHODS[message["method"]](params)}
    except ProtocolError as error:
        return _error(message["id"], error.code, str(error))
    except (AttributeError, KeyError, TypeError) as error:
        return _error(message["id"], INVALID_PARAMS, f"the parameters must be an object of the right form: {error}")


def _error(number, code, text):
    return {"jsonrpc": "2.0", "id": number, "error": {"code": code, "message": text}}


def main():
    """Answer the lines of stdin until the end."""
    for line in sys.stdin.buffer:
        reply = answer(line) if line.strip() else None
        if reply is not None:
            sys.stdout.write(json.dumps(reply) + "\n")
            sys.stdout.flush()


if __name__ == "__main__":
    main()

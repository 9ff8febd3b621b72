"""The `bash` tool as offered to the model, and the permitted arguments."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass

from domain.text.output_tail import MAX_BYTES, MAX_LINES, size_text
from messages.model import ToolCall, ToolSpec

DEFAULT_TIMEOUT_S = 120.0
MAX_TIMEOUT_S = 600.0
MAX_ARGUMENTS_BYTES = 256 * 1024
MAX_COMMAND_BYTES = 128 * 1024 - 1
"""Linux takes no longer single argument (MAX_ARG_STRLEN, the ending NUL counted)."""

_KINDS: dict[type, str] = {
    dict: "an object",
    list: "an array",
    str: "a string",
    bool: "a boolean",
    int: "a number",
    float: "a number",
}


@dataclass(frozen=True, slots=True)
class BashArguments:
    """Arguments of a call of the tool, well-formed."""

    command: str
    timeout_s: float | None
    """None if the model named no timeout; the shell checks the range."""


def bash_tool(
    default_timeout_s: float = DEFAULT_TIMEOUT_S, max_timeout_s: float = MAX_TIMEOUT_S, *, may_write: bool = True
) -> ToolSpec:
    """The tool, with the limits that are in force.

    Args:
        default_timeout_s: For a call without a timeout.
        max_timeout_s: Most that a call may name.
        may_write: Whether the working directory may be changed; else only HOME may.
    """
    description = (
        "Run a command with bash in this conversation's own working directory and get what it printed, stdout and "
        f"stderr together. At most the last {MAX_LINES} lines or {size_text(MAX_BYTES)} come back, whichever is less; "
        "when output is cut, the result names a file with all of it. There is no terminal and no input: stdin is "
        "empty. Every call starts a new shell, so `cd` and variables do not carry over, files do. Background processes "
        f"end with the command. A command is killed after {default_timeout_s:g} seconds unless `timeout` says "
        f"otherwise (at most {max_timeout_s:g})."
    )
    if not may_write:
        description += " The working directory can only be read; write to $HOME, which goes with this turn."
    limit = f"Seconds after which it is killed: more than 0, at most {max_timeout_s:g}; default {default_timeout_s:g}."
    parameters = {
        "type": "object",
        "properties": {
            "command": {"type": "string", "description": "What bash is to run; several lines are fine."},
            "timeout": {"type": "number", "description": limit},
        },
        "required": ["command"],
    }
    return ToolSpec(name="bash", description=description, parameters_json=json.dumps(parameters))


BASH_TOOL = bash_tool()

NOT_RUN = "Not run: "
"""Beginning of the result of a call that was not carried out."""


def is_failure(result: str) -> bool:
    """True for the result of a call that failed or was not run."""
    return result.startswith(NOT_RUN) or "[Exit code " in result[-40:]


def read_call(call: ToolCall, hint: str = "") -> BashArguments | str:
    """Arguments to run for `call`, or the reason for a refusal, for the model to read.

    Args:
        call: The model's call.
        hint: Refusal of an unknown tool's name if there is a better refusal than the usual.
    """
    if call.name != BASH_TOOL.name and hint:
        return f"{NOT_RUN}{hint}"
    if call.name != BASH_TOOL.name:
        return f"{NOT_RUN}Tool {call.name[:80]!r} not found. The only tool is {BASH_TOOL.name!r}."
    arguments = parse_arguments(call.arguments_json)
    return arguments if isinstance(arguments, BashArguments) else f"{NOT_RUN}{arguments}"


def parse_arguments(arguments_json: str) -> BashArguments | str:
    """The arguments in a model's tool call, or the error in the arguments, for the model to read.

    Keys unknown to the tool are ignored; a null `timeout` counts as missing.
    """
    size = len(arguments_json.encode("utf-8", "surrogatepass"))
    if size > MAX_ARGUMENTS_BYTES:
        limit = f"at most {MAX_ARGUMENTS_BYTES} are accepted"
        return f"The arguments have {size} bytes; {limit}. Write long text to a file in several calls."
    try:
        arguments = json.loads(arguments_json)
    except (ValueError, RecursionError) as error:
        return f"The arguments are not valid JSON: {_in_short(str(error))}"
    if not isinstance(arguments, dict):
        return f"The arguments must be a JSON object with `command`, not {_kind(arguments)}."
    command = arguments.get("command")
    if not isinstance(command, str):
        is_there = "command" in arguments
        return f"`command` must be a string, not {_kind(command)}." if is_there else "`command` is missing."
    timeout = arguments.get("timeout")
    if isinstance(timeout, bool) or not isinstance(timeout, int | float | None):
        return f"`timeout` must be a number of seconds, not {_kind(timeout)}."
    return fault_of_command(command) or BashArguments(command, None if timeout is None else _as_float(timeout))


def shown_arguments(arguments_json: str) -> str:
    """The arguments of a call as later requests show them: arguments too long for acceptance are not repeated."""
    if len(arguments_json) <= MAX_ARGUMENTS_BYTES:
        return arguments_json
    return json.dumps({"left_out": f"{len(arguments_json)} characters, which were too many to be accepted"})


def fault_of_command(command: str) -> str:
    """Reason why bash can't be given `command`; empty for a valid command."""
    if not command.strip():
        return "The command is empty."
    if "\0" in command:
        return f"The command has a NUL character at position {command.index(chr(0))}; bash cannot be given one."
    try:
        size = len(command.encode("utf-8"))
    except UnicodeEncodeError as error:
        half = f"U+{ord(command[error.start]):04X} at position {error.start}"
        return f"The command has half a surrogate pair, {half}, which is no character."
    if size > MAX_COMMAND_BYTES:
        limit = f"at most {MAX_COMMAND_BYTES} are accepted"
        return f"The command has {size} bytes; {limit}. Write it to a file in several calls and run that."
    return ""


def fault_of_timeout(timeout_s: float, max_timeout_s: float = MAX_TIMEOUT_S) -> str:
    """Reason why `timeout_s` can't be a command's limit; empty for a valid limit."""
    if math.isfinite(timeout_s) and 0 < timeout_s <= max_timeout_s:
        return ""
    return f"A timeout of {timeout_s:g} seconds is not accepted: it must be more than 0 and at most {max_timeout_s:g}."


def _as_float(number: float) -> float:
    """`number`, infinite for an integer beyond every float."""
    try:
        return float(number)
    except OverflowError:
        return math.inf if number > 0 else -math.inf


def _kind(value: object) -> str:
    """JSON's name for the type of `value`."""
    return _KINDS.get(type(value), "null")


def _in_short(text: str) -> str:
    return text if len(text) <= 200 else f"{text[:200]}…"

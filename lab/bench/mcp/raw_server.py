"""Server of the Model Context Protocol without a library: each step can be replaced by another.

The text of this module is a program's beginning: `command_of` puts a few lines behind the text and gives the whole to
`python3 -c`, so a sandbox needs to show no file.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from typing import Any

Json = dict[str, Any]
Answer = Callable[[Json], Any]
"""Function from a request to the result; None for no answer."""
TOOL: Json = {"name": "act", "description": "Acts.", "inputSchema": {"type": "object"}}


def write(data: bytes) -> None:
    """Write any bytes to the client."""
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()


def send(message: object) -> None:
    """Write a message."""
    write(json.dumps(message).encode() + b"\n")


def reply(request: Json, result: object) -> None:
    """Answer a request."""
    send({"jsonrpc": "2.0", "id": request["id"], "result": result})


def fail(request: Json, code: int, text: str) -> None:
    """Answer a request with an error of the protocol."""
    send({"jsonrpc": "2.0", "id": request["id"], "error": {"code": code, "message": text}})


def notify(method: str, **params: object) -> None:
    """Send a notification."""
    send({"jsonrpc": "2.0", "method": method, "params": params})


def text_of(*texts: str, **more: object) -> Json:
    """Result of a tool."""
    return {"content": [{"type": "text", "text": text} for text in texts], **more}


def messages() -> Iterator[Json]:
    """Read the client's messages until the client closes the pipe."""
    for line in sys.stdin.buffer:
        if line.strip():
            yield json.loads(line)


def welcome(request: Json, **capabilities: object) -> Json:
    """Result of `initialize`, in the client's version."""
    return {
        "protocolVersion": request["params"]["protocolVersion"],
        "capabilities": {"tools": {"listChanged": True}, "resources": {}, "prompts": {}, "logging": {}, **capabilities},
        "serverInfo": {"name": "raw", "version": "1"},
    }


def serve(**answers: Answer) -> None:
    """Answer requests until the client is gone.

    Args:
        answers: Answer to a method, by its name with `_` for `/`; the methods that every client asks have answers.
    """
    usual: dict[str, Answer] = {
        "initialize": welcome,
        "ping": lambda _request: {},
        "tools_list": lambda _request: {"tools": [TOOL]},
        "tools_call": lambda _request: text_of("done"),
        "resources_list": lambda _request: {"resources": []},
        "resources_templates_list": lambda _request: {"resourceTemplates": []},
        "prompts_list": lambda _request: {"prompts": []},
    }
    for message in messages():
        if "id" not in message or "method" not in message:
            continue
        answer = {**usual, **answers}.get(message["method"].replace("/", "_"))
        if answer is None:
            fail(message, -32601, "no such method")
            continue
        result = answer(message)
        if result is not None:
            reply(message, result)

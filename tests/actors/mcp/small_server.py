"""A small server of the protocol, by the standard library alone; what its tools do is said by their names."""

from __future__ import annotations

import base64
import json
import os
import sys
import time
from pathlib import Path
from typing import Any

PNG = base64.b64encode(b"\x89PNG not really").decode()
SAY: dict[str, Any] = {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]}
NOTHING: dict[str, Any] = {"type": "object", "properties": {}}
TOOLS = {
    "say": ("Say a text. It comes back as it went.", SAY),
    "picture": ("Give a picture.", NOTHING),
    "fail": ("Fail politely.", NOTHING),
    "end": ("End the server with last words.", NOTHING),
    "hang": ("Answer never.", NOTHING),
    "flood": ("Write a line without end.", NOTHING),
    "noise": ("Send a storm of notifications and requests, then answer.", NOTHING),
    "grow": ("Have one more tool from now on.", NOTHING),
    "look": ("Tell what the server can see.", NOTHING),
    "write": ("Write a file.", {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]}),
    "steer": ("Answer with what steers a terminal.", NOTHING),
}


def send(**message: Any) -> None:
    """Write one message."""
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    sys.stdout.flush()


def text(words: str, **more: Any) -> dict[str, Any]:
    """Result of a tool."""
    return {"content": [{"type": "text", "text": words}], **more}


def call(name: str, arguments: dict[str, Any]) -> dict[str, Any]:
    """Carry out a tool."""
    match name:
        case "say":
            return text(arguments["text"])
        case "picture":
            return {"content": [{"type": "image", "data": PNG, "mimeType": "image/png"}]}
        case "fail":
            return text("no luck", isError=True)
        case "end":
            sys.stderr.write("the last words\n")
            sys.stderr.flush()
            os._exit(3)
        case "hang":
            time.sleep(3_600)
        case "flood":
            while True:
                sys.stdout.write("x" * 65_536)
        case "noise":
            for number in range(2_000):
                send(method="notifications/tools/list_changed")
                send(method="sampling/createMessage", id=f"s{number}", params={})
        case "grow":
            TOOLS["late"] = ("A tool of later.", NOTHING)
            send(method="notifications/tools/list_changed")
        case "look":
            seen = {name: sorted(os.listdir(name)) for name in ("/", "/tmp") if Path(name).is_dir()}  # noqa: PTH208
            return text(json.dumps({"seen": seen, "environment": dict(os.environ)}))
        case "write":
            try:
                Path(arguments["path"]).write_text("x")
            except OSError as error:
                return text(str(error))
            return text("written")
        case "steer":
            return text("a\x1b[31mb\x07c")
        case _:
            pass
    return text("done")


def answer(method: str, params: dict[str, Any]) -> dict[str, Any] | None:
    """Result of a request."""
    match method:
        case "initialize":
            return {
                "protocolVersion": params["protocolVersion"],
                "capabilities": {"tools": {"listChanged": True}, "resources": {}, "prompts": {}},
                "serverInfo": {"name": "small", "version": "1"},
                "instructions": "A server for tests.",
            }
        case "tools/list":
            return {
                "tools": [
                    {"name": name, "description": description, "inputSchema": schema}
                    for name, (description, schema) in TOOLS.items()
                ]
            }
        case "tools/call":
            return call(params["name"], params.get("arguments") or {})
        case "resources/list":
            return {"resources": [{"uri": "note://one", "name": "one", "description": "The first note."}]}
        case "resources/templates/list":
            return {"resourceTemplates": [{"uriTemplate": "note://{name}", "name": "by name"}]}
        case "resources/read":
            return {"contents": [{"uri": params["uri"], "mimeType": "text/plain", "text": f"note {params['uri']}"}]}
        case "prompts/list":
            return {"prompts": [{"name": "greet", "arguments": [{"name": "whom", "required": True}]}]}
        case "prompts/get":
            words = f"Greet {params['arguments']['whom']}."
            return {"messages": [{"role": "user", "content": {"type": "text", "text": words}}]}
        case _:
            return None


def main() -> None:
    """Serve until stdin ends."""
    for line in sys.stdin:
        message = json.loads(line)
        if "id" not in message or "method" not in message:
            continue
        result = answer(message["method"], message.get("params") or {})
        if result is None:
            send(id=message["id"], error={"code": -32601, "message": "unknown method"})
        else:
            send(id=message["id"], result=result)


if __name__ == "__main__":
    main()

"""Clients that people use, as programs of their own, through a running gateway: answered, and remembered."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from aiohttp import web

from tests.actors.gateway.rig import DONE, GatewayRig, stream
from tests.patience import PATIENCE_S
from tests.real.gateway.programs import PROGRAMS, WORDS, Program

ANSWER = "Then take the boat."
LEAST = 30
"""Clients of which each machine of the project has enough."""
_NOT_INHERITED = ("PROXY", "_API_KEY", "_BASE_URL", "BASH_ENV", "NODE_OPTIONS", "JAVA_TOOL_OPTIONS")


def chunk(delta: dict[str, str], reason: str | None = None) -> bytes:
    """One event of a stream, with all fields of OpenAI's."""
    choice = {"index": 0, "delta": delta, "finish_reason": reason, "logprobs": None}
    whole = {"id": "x", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [choice]}
    return f"data: {json.dumps(whole)}\n\n".encode()


@pytest.fixture
def rig() -> Iterator[GatewayRig]:
    rig = GatewayRig()

    async def answer(request: web.Request) -> web.StreamResponse:
        if rig.upstream.heard[-1].json.get("stream"):
            pieces = chunk({"role": "assistant", "content": "Then take "}), chunk({"content": "the boat."})
            return await stream(request, *pieces, chunk({}, "stop"), DONE)
        choice = {"index": 0, "message": {"role": "assistant", "content": ANSWER}, "finish_reason": "stop"}
        return web.json_response(
            {"id": "x", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice]}
        )

    rig.upstream.handler = answer
    yield rig
    rig.stop()


@pytest.mark.slow
@pytest.mark.req("X-225")
def test_thirty_clients_are_answered_and_what_they_say_is_kept(rig: GatewayRig, tmp_path: Path) -> None:
    there = [program for program in PROGRAMS if _is_there(program)]
    clients = [client for program in there for client in program.clients]
    assert len(clients) >= LEAST
    base = f"http://127.0.0.1:{rig.port}/v1"
    with ThreadPoolExecutor(2) as pool:
        said = [line for lines in pool.map(lambda each: _run(each, base, tmp_path), there) for line in lines]
    answers = dict(line.split("\t", 1) for line in said if "\t" in line)
    kept = {each.conversation: (each.user_text, each.answer_text) for each in rig.stored_turns() if each.is_over}
    failures = [f"{each}: {answers.get(each)!r}" for each in clients if answers.get(each) != ANSWER]
    failures += [f"{each}: kept {kept.get(each)}" for each in clients if kept.get(each) != (WORDS, ANSWER)]
    assert not failures, said


def _is_there(program: Program) -> bool:
    return shutil.which(program.command[0]) is not None and (
        program.command[0] != "sh" or shutil.which(program.name) is not None
    )


def _run(program: Program, base: str, folder: Path) -> list[str]:
    """Lines that a program prints, and the last lines of its errors."""
    script = program.script
    if program.file:
        (folder / program.file).write_text(script)
        script = str(folder / program.file)
    environment = {
        name: value for name, value in os.environ.items() if not any(part in name.upper() for part in _NOT_INHERITED)
    }
    done = subprocess.run(
        (*program.command, script),
        env={**environment, "BASE": base, "WORDS": WORDS},
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=6 * PATIENCE_S,
        check=False,
    )
    return [*done.stdout.splitlines(), *(f"{program.name}: {line}" for line in done.stderr.splitlines()[-3:])]

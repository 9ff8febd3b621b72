"""LocalModelActor before child programs that stand for the engine and its faults."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from actors.local_model.child import NOT_INSTALLED, NOT_LOADED
from messages.model import ModelFailed
from tests.actors.local_model.rig import NAME, Rig
from tests.patience import PATIENCE_S, eventually

SERVER = """
import http.server, json, os, sys
order = json.loads(sys.stdin.readline())
class Handler(http.server.BaseHTTPRequestHandler):
    def log_message(self, *_): pass
    def do_GET(self):
        self.send_response({health})
        self.end_headers()
    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        is_owner = self.headers["Authorization"] == "Bearer " + order["key"]
        text = "{{}} {{}} {{}}".format(is_owner, os.getpid(), " ".join(sorted(os.environ)))
        body = json.dumps({{"choices": [{{"message": {{"content": text}}, "finish_reason": "stop"}}]}}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
print(json.dumps({{"address": "http://127.0.0.1:%d/v1" % server.server_address[1]}}), flush=True)
server.serve_forever()
"""
"""Program of a server that answers with its process id and the names of its environment."""


def model_file(folder: Path) -> Path:
    path = folder / "own.gguf"
    path.write_bytes(b"GGUF and more")
    return path


def rig_of(folder: Path, program: str, **more: float) -> Rig:
    rig = Rig(folder / "models", program=program, **more)  # type: ignore[arg-type]
    rig.store.add(NAME, model_file(folder), lambda *_: None)
    rig.system.start()
    return rig


@pytest.mark.req("X-214")
def test_a_server_that_does_not_start_is_told_with_the_reason_and_the_way_on(tmp_path: Path) -> None:
    order = "import json, sys; sys.stdin.readline(); print(json.dumps({%r: %r}), flush=True)"
    cases = {
        "not installed": (order % (NOT_INSTALLED, "No module"), "needs the extra `local-model`: pip install", 1),
        "not loaded": (order % (NOT_LOADED, "it cannot load x.gguf: bad"), "it cannot load x.gguf: bad", 1),
        "killed": ("import os; os.kill(os.getpid(), 9)", "SIGKILL; perhaps there was not enough memory", 2),
        "ended": ("raise SystemExit(3)", "its process ended while the model was loaded (exit code 3)", 2),
        "strange": ("print('hello', flush=True)", "exit code 0", 2),
        "too slow": ("import sys; sys.stdin.read()", "not ready within 0.2 s (local_model.start_timeout_s)", 2),
    }
    failures = []
    for number, (name, (program, words, attempts)) in enumerate(cases.items()):
        (folder := tmp_path / str(number)).mkdir()
        rig = rig_of(folder, program, retries=1, start_s=0.2 if name == "too slow" else 60.0)
        try:
            failed = rig.failure(rig.ask("hello"))
            if words not in failed.reason or failed.attempts != attempts or f"local/{NAME}" not in failed.reason:
                failures.append((name, failed))
        finally:
            rig.system.stop()
        if any(engine.pid for engine in rig.engines):
            failures.append((name, failed))
    assert not failures


@pytest.mark.req("X-214")
def test_a_model_that_is_not_here_is_named_with_the_command_that_brings_it(tmp_path: Path) -> None:
    rig = rig_of(tmp_path, "raise SystemExit")
    (tmp_path / "text.gguf").write_text("no model")
    cases = {
        "qwen3-1.7b": "is not on this machine; fetch it (1.8 GB): bin/agent model get qwen3-1.7b",
        "strange": "local/strange is not known; there are qwen3-4b,",
        "Bad!": "model name 'Bad!': must be",
        "relative.gguf": "a path must begin with / or ~",
        f"{tmp_path}/none.gguf": "none.gguf cannot be read: No such file",
        f"{tmp_path}/text.gguf": "is not a model: a GGUF file begins with GGUF",
    }
    try:
        told = {name: rig.failure(rig.ask("hello", model=f"local/{name}")) for name in cases}
    finally:
        rig.system.stop()

    assert {name: failed for name, failed in told.items() if cases[name] not in failed.reason} == {}
    assert {failed.attempts for failed in told.values()} == {1}


@pytest.mark.crashes
@pytest.mark.req("X-214")
def test_a_server_that_answers_no_health_check_is_replaced(tmp_path: Path) -> None:
    rig = rig_of(tmp_path, SERVER.format(health=500), health_s=0.05)
    try:
        first = rig.reply(rig.ask("hello")).text.split()
        second = eventually(lambda: another(rig, first[1]))
    finally:
        rig.system.stop()

    assert (first[0], second[0]) == ("True", "True")


def another(rig: Rig, process: str) -> list[str]:
    """Answer of another process; empty from the same."""
    end = rig.end(rig.ask("hello"))
    if isinstance(end, ModelFailed) or end.text.split()[1] == process:
        return []
    return end.text.split()


def test_a_healthy_server_stays_and_ends_with_the_agent(tmp_path: Path) -> None:
    rig = rig_of(tmp_path, SERVER.format(health=200), health_s=0.02)
    try:
        answers = {rig.reply(rig.ask("hello", window=str(number))).text for number in range(20)}
        process = rig.engines[0].pid
    finally:
        rig.system.stop()

    (answer,) = answers
    assert answer.startswith(f"True {process} ")
    assert set(answer.split()[2:]) - {"LC_CTYPE"} == {"PATH", "OMP_WAIT_POLICY"}  # no key, and waits that cost nothing
    eventually(lambda: not Path(f"/proc/{process}").exists())


PARENT = """
import asyncio, sys
from actors.local_model.engine import Engine
program = "import json, os, sys; sys.path.append(sys.argv[1]); from actors.local_model import child;" \
    "child._serve = lambda order: (child.READY, str(os.getpid()), object()); child.main()"
order = {"model": "x", "key": "k"}
asyncio.run(Engine(program).run(order, 60, lambda address: print(address, flush=True)))
"""


@pytest.mark.req("X-214")
def test_the_child_ends_when_the_agent_is_killed(tmp_path: Path) -> None:
    with subprocess.Popen([sys.executable, "-c", PARENT], stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        process = int(parent.stdout.readline())
        assert Path(f"/proc/{process}").exists()
        os.kill(parent.pid, signal.SIGKILL)
        parent.wait(PATIENCE_S)
    eventually(lambda: not Path(f"/proc/{process}").exists())

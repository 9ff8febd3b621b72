"""Page of the layer `facts`, followed from top to bottom: commands are typed, code runs, settings count."""

from __future__ import annotations

import http.client
import json
import re
import shlex
import signal
import socket
import subprocess
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from domain.facts.injection import INTRODUCTION, MEMORIES, SUMMARY
from tests.actors.cli.command import inherited, open_command, run
from tests.docs.prose import ROOT
from tests.docs.tutorial import AstrayError
from tests.patience import PATIENCE_S, eventually
from tests.trusted import trust, write_settings

_BLOCK = re.compile(r"^```(?P<kind>\w*)\n(?P<body>.*?)^```$", re.MULTILINE | re.DOTALL)
_ID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_SERVER, _GATEWAY_PORT = "127.0.0.1:11434", "8100"
_ANYWHERE = "0.0.0.0"
"""Address on the page that no test may listen on."""
_SECRET = "a-secret-of-clients-0123"
_PATIENT = "[facts]\nread_deadline_s = 60\n"
"""Settings of a reader whose machine may be busy with other things: a memory that comes late is still shown."""
FACT = "The user's wife is named Anne"


@dataclass(frozen=True, slots=True)
class Block:
    """A block of the page; its kind is empty for text that is shown."""

    kind: str
    body: str


def blocks(page: str) -> list[Block]:
    """All blocks of a page, in order."""
    return [Block(found["kind"], found["body"]) for found in _BLOCK.finditer(page)]


class Follower:
    """Reader of the page, in a folder; a context manager that ends what was started."""

    def __init__(self, folder: Path, server: str, prompts: list[str]) -> None:
        """Nothing is done yet.

        Args:
            folder: New and empty.
            server: Host and port of a model's server.
            prompts: System messages that the server has heard.
        """
        self._folder = folder
        self._server = server
        self._prompts = prompts
        self._running: list[subprocess.Popen[Any]] = []
        self._port = 0
        self._compose: Mapping[str, Any] = {}
        self._shown = 0
        self._settings = 0

    def __enter__(self) -> Follower:
        return self

    def __exit__(self, *_: object) -> None:
        for process in self._running:
            if process.poll() is None:
                process.send_signal(signal.SIGTERM)
                process.communicate(timeout=PATIENCE_S)

    def follow(self, page: str) -> int:
        """Do what the page says; how many blocks that were.

        Raises:
            AstrayError: something else happens than the page says.
        """
        ways: Mapping[str, Callable[[str], None]] = {
            "sh": self._type,
            "python": self._run_code,
            "toml": self._take_settings,
            "yaml": self._take_compose,
            "": self._compare_text,
        }
        write_settings(self._folder, _PATIENT)
        known = blocks(page)
        for block in known:
            if block.kind not in ways:
                raise AstrayError(f"a block that nobody can follow: {block.kind}")
            ways[block.kind](block.body.replace(_SERVER, self._server))
        return len(known)

    def _type(self, body: str) -> None:
        """Type each line of a block; a gateway stays in the background."""
        for line in body.splitlines():
            program, *arguments = shlex.split(line)
            if program != "bin/agent":
                raise AstrayError(f"`{line}`: the page's commands begin with bin/agent")
            if arguments[0] == "gateway":
                self._port = self._start(arguments, self._folder)
            else:
                self._ask(line, arguments)

    def _ask(self, line: str, arguments: list[str]) -> None:
        wanted = {"add": "kept: entries/alice/facts/", "forget": "forgotten for good"}.get(arguments[1], FACT)
        if arguments[1] == "forget":
            listed = json.loads(self._run(["memory", "list", "--memory-id", "alice", "--json"]))["entries"]
            (entry_id,) = [entry["id"] for entry in listed if entry["content"] == FACT]
            arguments = [entry_id if _ID.fullmatch(each) else each for each in arguments]
        if wanted not in (printed := self._run(arguments)):
            raise AstrayError(f"`{line}` printed\n{printed}\nwithout {wanted!r}")

    def _run(self, arguments: list[str]) -> str:
        done = run("agent", *arguments, cwd=self._folder)
        if done.returncode != 0:
            raise AstrayError(f"exit code {done.returncode}: {arguments} printed\n{done.stdout}\n{done.stderr}")
        return done.stdout

    def _start(self, arguments: list[str], folder: Path, **environment: str) -> int:
        """Port of a gateway that listens."""
        port = _free_port()
        given = {**inherited(), **environment}
        command = ["agent", *arguments, "--port", str(port)]
        process = open_command(*command, cwd=folder, env=given, stderr=subprocess.PIPE)
        self._running.append(process)

        def is_up() -> bool:
            if process.poll() is not None:
                raise AstrayError(f"{command} ended: {process.communicate()[1].decode()}")
            with socket.socket() as tried:
                return tried.connect_ex(("127.0.0.1", port)) == 0

        eventually(is_up)
        return port

    def _run_code(self, body: str) -> None:
        names: dict[str, Any] = {}
        exec(body.replace(f":{_GATEWAY_PORT}/", f":{self._port}/"), names)  # the page's own code
        if not names["answer"].choices[0].message.content:
            raise AstrayError(f"no answer: {names['answer']}")
        if "My wife is called Anne and we live in Oslo." not in self._prompts[-1]:
            raise AstrayError(f"the second request had no memory of the first: {self._prompts[-1]!r}")

    def _compare_text(self, body: str) -> None:
        """Compare the first shown text with the model's, and the second one with the folder of the files."""
        self._shown += 1
        if self._shown == 1:
            parts = [INTRODUCTION, SUMMARY, MEMORIES, "[user] My wife is called Anne and we live in Oslo."]
            missing = [part for part in parts if part not in body]
            missing += [part for part in parts if part is not SUMMARY and part not in self._prompts[-1]]
            if missing:
                raise AstrayError(f"the model is shown {self._prompts[-1]!r}; missing there or on the page: {missing}")
            return
        memory = self._folder / "data" / body.split("/", 1)[0]
        for pattern in ("facts/<time>__<id>.md", "turns/user/<time>__<id>.md", "turns/assistant/<time>__<id>.md"):
            if pattern not in body:
                raise AstrayError(f"the page's tree has no {pattern}")
            shape = "entries/alice/" + pattern.replace("<time>", "*").replace("<id>", "*")
            eventually(lambda shape=shape: any(memory.glob(shape)))  # type: ignore[misc]
        if ".journal.jsonl" not in body or not (memory / ".journal.jsonl").is_file():
            raise AstrayError(f"no .journal.jsonl in {memory}")

    def _take_settings(self, body: str) -> None:
        """Settings, in the order of the page: inside the agent, with keys, and in a container."""
        self._settings += 1
        text = body.replace(_ANYWHERE, "127.0.0.1")
        if self._settings == 1:
            write_settings(self._folder, text)
            self._run(["memory", "list"])
            return
        folder = self._folder / f"settings-{self._settings}"
        folder.mkdir()
        (folder / "agent.toml").write_text(text)
        if self._compose:
            service = self._compose["services"]["memory"]
            arguments = [
                {"http://ollama:11434/v1": f"http://{self._server}/v1"}.get(each, each) for each in service["command"]
            ]
            arguments[arguments.index("--config") + 1] = str(folder / "agent.toml")
            environment, key = dict.fromkeys(service["environment"], _SECRET), _SECRET
        else:
            names = dict.fromkeys(re.findall(r'"(\w+_API_KEY)"', text))
            secrets = {name: f"{_SECRET}-{number}" for number, name in enumerate(names)}
            (folder / "secrets.env").write_text("".join(f"{name}={secret}\n" for name, secret in secrets.items()))
            (folder / "secrets.env").chmod(0o600)
            arguments = ["gateway", "--upstream", f"http://{self._server}/v1"]
            environment, key = {}, secrets["ALICE_API_KEY"]
        trust(folder)
        port = self._start(arguments, folder, **environment)
        told = [_status(port, given) for given in ("", "wrong-key-0123456789", key)]
        if told != [401, 401, 200]:
            raise AstrayError(f"without a key, with a wrong one and with the right one: {told}")

    def _take_compose(self, body: str) -> None:
        self._compose = yaml.safe_load(body)
        service = self._compose["services"]["memory"]
        dockerfile = ROOT / service["build"]["context"] / service["build"]["dockerfile"]
        volume = service["volumes"][0].partition(":")[2]
        if volume not in dockerfile.read_text():
            raise AstrayError(f"{dockerfile} knows no {volume}")


def _status(port: int, key: str) -> int:
    """Status of a chat with a key; of one without if the key is empty."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE_S)
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    body = json.dumps({"model": "m", "messages": [{"role": "user", "content": "Good morning to all of you"}]})
    try:
        connection.request("POST", "/v1/chat/completions", body=body, headers=headers)
        return connection.getresponse().status
    finally:
        connection.close()


def _free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])

"""Page of a layer, followed from top to bottom: settings count, commands are typed in a window and on the machine."""

from __future__ import annotations

import json
import re
import shlex
import tomllib
from collections import deque
from collections.abc import Callable, Mapping
from pathlib import Path

import yaml

from domain.turn.skill import Skill
from domain.workspace.skills.life import read_life
from lab.loopback_model.server import Answer, Behaviour, Call, LoopbackModel, Received
from lab.playground.server import PlaygroundServer
from lab.playground.world.defaults import GENERAL_ID
from tests.actors.cli.command import CHECKOUT, run
from tests.docs.facts_page import blocks
from tests.docs.tutorial import AstrayError
from tests.e2e.stage import Stage
from tests.trusted import write_settings

INSTALLED = "/opt/remembrancer"
"""Folder of the installation on the pages."""
_PROJECT, _HOME = "/srv/shop", "/home/ann"
_WINDOWS = re.compile(r"discord-(?:thread|channel)/\d+")
_CHANNEL = re.compile(r'"1\d{17}"')
_RUN = re.compile(r"\b(r\w+) of \w+ goes on")
_TRANSCRIPTS = ("person: ", "turn 1: ")
"""Beginnings of the transcripts, which tests of the layers hold."""
_REFERENCES = (
    "mkdir src; for name in app cart tax; do seq 9 > src/$name.py; done",
    "ls src/cart.py src/tax.py",
    "cat src/app.py",
    "seq 8 > src/app.py",
)
"""Commands whose results have a reference of each kind."""


class Parts:
    """Model that types what the follower has in hand, plays sub-agents, and has nothing to tell to upkeep."""

    def __init__(self) -> None:
        self.commands: deque[str] = deque()

    def __call__(self, request: Received) -> Behaviour:
        is_child = "a sub-agent of Remembrancer" in str(request.body["messages"][0]["content"])
        if "tools" not in request.body or is_child or not self.commands:
            return Answer("Nothing more.")
        command = self.commands.popleft()
        return Answer(calls=(Call("bash", json.dumps({"command": command, "timeout": 100})),))


class PageFollower:
    """Reader of a page, with an agent beside; a context manager that ends the agent."""

    def __init__(self, home: Path, server: PlaygroundServer, model: LoopbackModel, parts: Parts) -> None:
        """Nothing is done yet.

        Args:
            home: New and empty; the user's home folder, too.
            server: Discord of the agent.
            model: Server of the agent's model.
            parts: Behaviour of that model.
        """
        self._home = home
        self._server = server
        self._model = model
        self._parts = parts
        self._stage: Stage | None = None
        self._settings = ""
        self._run_name = ""

    def __enter__(self) -> PageFollower:
        return self

    def __exit__(self, *_: object) -> None:
        if self._stage is not None:
            self._stage.stop()

    def follow(self, page: str) -> int:
        """Do what the page says; give the number of blocks.

        Raises:
            AstrayError: something else happens than the page says.
        """
        ways: Mapping[str, Callable[[str], None]] = {
            "toml": self._take_settings,
            "bash": self._type_in_window,
            "console": self._type_on_machine,
            "markdown": self._write_file,
            "yaml": self._read_declarations,
            "": self._compare_text,
        }
        known = blocks(page)
        for block in known:
            if block.kind not in ways:
                raise AstrayError(f"a block of unknown kind: {block.kind}")
            ways[block.kind](self._localise(block.body))
        return len(known)

    def _localise(self, body: str) -> str:
        """Text of the page with the places of this machine."""
        shop = str(self._home / "shop")
        body = body.replace(_PROJECT, shop).replace("-srv-shop", _encode(shop))
        body = body.replace(INSTALLED, str(CHECKOUT)).replace(_HOME, str(self._home))
        return _WINDOWS.sub(f"discord-channel/{GENERAL_ID}", _CHANNEL.sub(f'"{GENERAL_ID}"', body))

    def _take_settings(self, body: str) -> None:
        """Start the agent anew with the settings; a table that is there gets the keys that follow."""
        head = body.partition("\n")[0]
        is_more = f"{head}\n" in self._settings
        self._settings = self._settings.replace(head, body.rstrip(), 1) if is_more else self._settings + body
        (self._home / "shop" / ".git").mkdir(parents=True, exist_ok=True)
        write_settings(self._home, f'data_root = "data"\n{self._settings}')
        given = {
            f"{table}.{key}": value
            for table, keys in tomllib.loads(self._settings).items()
            for key, value in keys.items()
        }
        given |= {"model.name": "openai/loopback", "model.api_base": self._model.api_base, "memory.enabled": False}
        self.__exit__()
        self._stage = Stage(self._server, self._home / "data", {"OPENAI_API_KEY": "no key"}, **given)

    def _turn(self, *commands: str) -> list[str]:
        """Results of a turn in which the model types the commands, as the last request has them."""
        if self._stage is None:
            raise AstrayError("commands before any settings")
        self._parts.commands.extend(commands)
        self._stage.ask("Please go on.")
        asked = [each for each in self._model.requests() if "tools" in each.body][-1]
        return [str(each["content"]) for each in asked.body["messages"] if each["role"] == "tool"][-len(commands) :]

    def _type_in_window(self, body: str) -> None:
        for line in body.splitlines():
            command = line.replace(" RUN", f" {self._run_name}")
            (printed,) = self._turn(f"{command} && echo went well")
            if "went well" not in printed:
                raise AstrayError(f"`{command}` printed\n{printed}")
            if named := _RUN.search(printed):
                self._run_name = named[1]

    def _type_on_machine(self, body: str) -> None:
        """Type each command, and look for each line that the page has below it."""
        if "curated import" in body:
            self._have_memory_of_claude_code()
        for each in body.removeprefix("$ ").split("\n$ "):
            command, _, wanted = each.rstrip().partition("\n")
            program, *arguments = shlex.split(command)
            if program != "bin/agent":
                raise AstrayError(f"`{command}`: the page's commands begin with bin/agent")
            done = run("agent", *arguments, cwd=self._home)
            if done.returncode != 0 or [line for line in wanted.splitlines() if line not in done.stdout]:
                raise AstrayError(f"`{command}` ended with {done.returncode} and printed\n{done.stdout}\n{done.stderr}")

    def _have_memory_of_claude_code(self) -> None:
        """Have the other program's memory of the project, as the page describes it."""
        memory = self._home / ".claude" / "projects" / _encode(str(self._home / "shop")) / "memory"
        memory.mkdir(parents=True)
        (memory / "MEMORY.md").write_text("- make lint checks the style\n- [Build](build.md) — the long way\n")
        (memory / "build.md").write_text("The long way.\n")

    def _write_file(self, body: str) -> None:
        """Write an index, or the definition of a sub-agent, which the agent then offers."""
        if not body.startswith("---\n"):
            folder = self._home / ".pi" / "agent" / "memory"
            folder.mkdir(parents=True)
            (folder / "MEMORY.md").write_text(body)
            self._expect_in_prompt(body)
            return
        fields = yaml.safe_load(body.split("---\n")[1])
        folder = self._home / "data" / "workspace" / "sub-agents"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{fields['name']}.md").write_text(body)
        (printed,) = self._turn(f"{CHECKOUT}/skills/subagent/scripts/subagent.py list")
        if f"{fields['name']} ({fields['contextMode']}): {fields['description']}" not in printed or ".md: " in printed:
            raise AstrayError(f"the definition is not offered, or has faults:\n{printed}")

    def _read_declarations(self, body: str) -> None:
        _, faults = read_life(
            Skill(name="kiln", description="Kilns.", path="/skills/kiln/SKILL.md"), yaml.safe_load(body)
        )
        if faults:
            raise AstrayError(f"the declarations of a skill have faults: {faults}")

    def _compare_text(self, body: str) -> None:
        """Compare a tree of files, references, or the end of a prompt, with what the agent has."""
        if body.startswith(_TRANSCRIPTS):
            return
        if "── " in body:
            self._turn("true")
            names = re.findall(r"(?:├── |\b)(SESSION\.md|HISTORY\.md|\.agent)(?=[/ ])", body)
            missing = [name for name in names if not list((self._home / "data" / "workspace").rglob(name))]
            if missing:
                raise AstrayError(f"the folder has no {missing}")
        elif body.startswith("["):
            shapes = {_shape(line) for result in self._turn(*_REFERENCES) for line in result.splitlines()}
            if strange := [line for line in body.splitlines() if _shape(line) not in shapes]:
                raise AstrayError(f"no request has such a reference: {strange}, but {sorted(shapes)}")
        else:
            self._expect_in_prompt(body)

    def _expect_in_prompt(self, body: str) -> None:
        """Look for each line in the system prompt of a new turn."""
        self._turn("true")
        prompt = str(
            [each for each in self._model.requests() if "tools" in each.body][-1].body["messages"][0]["content"]
        )
        if missing := [line for line in body.splitlines() if line not in prompt.splitlines()]:
            raise AstrayError(f"the prompt has no {missing}: {prompt[-2000:]}")


def _encode(path: str) -> str:
    """Name that Claude Code gives the folder of a project."""
    return re.sub(r"[^A-Za-z0-9]", "-", path)


def _shape(line: str) -> str:
    """Line with every number replaced."""
    return re.sub(r"\d+", "N", line)

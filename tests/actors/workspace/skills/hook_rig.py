"""Hooks by themselves: an actor that has nothing else, and what stands for the shell."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from actors.kernel import Actor, ActorSpec, ActorSystem
from actors.workspace.skills.hooks import HookOutput, Hooks, HookTurn
from actors.workspace.skills.lives import SkillLives
from domain.workspace.skills.hook import Fact
from messages.base import Address, Message, Surface, TurnId, Window
from messages.shell import RunBash
from messages.workspace import RunAwoke

WINDOW = Window(surface=Surface.DISCORD_CHANNEL, id="100000000000000001")
OWNER = Address("workspace", WINDOW.address.key)
TURN = HookTurn(TurnId("t1"), audience="guild:1")
Outputs = tuple[HookOutput, ...]


def write_skill(folder: Path, *lines: str, **scripts: str) -> Path:
    """A skill in `folder` with these lines in its front matter, and scripts by their names without `.sh`."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "SKILL.md"
    path.write_text("\n".join(["---", f"name: {folder.name}", "description: Does it.", *lines, "---", "Do it.", ""]))
    for name, text in scripts.items():
        (folder / f"{name}.sh").write_text(text)
    return path


class HookActor(Actor):
    """Owner of hooks that begins whatever the test has put before it."""

    def __init__(
        self,
        lives: SkillLives,
        wishes: list[tuple[str, Mapping[str, Fact]]],
        done: Callable[[Outputs], None],
        patience: float,
    ) -> None:
        super().__init__()
        self.lives = lives
        self.wishes = wishes
        self.done = done
        self.patience = patience
        self.begun: list[bool] = []
        self.strangers: list[Message] = []

    def on_start(self) -> None:
        self.hooks = Hooks(self, WINDOW, self.lives, patience=self.patience)

    def handle(self, message: Any) -> None:
        if isinstance(message, RunAwoke):
            event, facts = self.wishes.pop(0)
            self.begun.append(self.hooks.begin(event, facts, TURN, self.done))
        else:
            self.strangers.append(message)


class HookRig:
    """One such actor on a system, and an edge in the place of the shell."""

    def __init__(self, system: ActorSystem, root: Path, patience: float = 1.0) -> None:
        self.system = system
        self.lives = SkillLives((), (root,))
        self.wishes: list[tuple[str, Mapping[str, Fact]]] = []
        self.outputs: list[Outputs] = []
        self.actors: list[HookActor] = []
        self.asked: list[Message] = []
        """Of the shell."""
        self.patience = patience
        system.register(ActorSpec(OWNER.kind, self._build))

    def begin(self, event: str, **facts: Fact) -> None:
        self.wishes.append((event, facts))
        self.system.tell(OWNER, RunAwoke(run="r1"))

    def _build(self, _key: str) -> HookActor:
        self.actors.append(HookActor(self.lives, self.wishes, self.outputs.append, self.patience))
        return self.actors[-1]

    def play_the_shell(self) -> None:
        """Have nothing run, and everything that is asked kept; then begin."""
        self.system.register(ActorSpec("shell", lambda _key: ShellStandIn(self.asked)))
        self.system.start()

    @property
    def requests(self) -> list[RunBash]:
        """Requested commands."""
        return [message for message in self.asked if isinstance(message, RunBash)]

    @property
    def actor(self) -> HookActor:
        return self.actors[-1]


class ShellStandIn(Actor):
    """Keeps what is asked of the shell; the test says how it ends."""

    def __init__(self, asked: list[Message]) -> None:
        super().__init__()
        self.asked = asked

    def handle(self, message: Any) -> None:
        self.asked.append(message)


def told_to(request: RunBash) -> dict[str, Any]:
    """Input of a hook on stdin."""
    words = shlex.split(request.command)
    facts: dict[str, Any] = json.loads(words[2])
    return facts

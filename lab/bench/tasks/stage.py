"""Stage of a task: an agent with its own data root on a loopback Discord, and a count of the model's calls."""

from __future__ import annotations

import itertools
import os
import re
import shutil
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from actors.bootstrap import Agent
from actors.cli.try_it import playground_connection
from actors.kernel import SystemClock
from actors.parts import LAYERS, settings_tables
from actors.settings.load import load
from actors.shell.workplace import workdir
from lab.bench.process import MeasurementError
from lab.bench.tasks.task import MAIN, Effects, Say, Task
from lab.playground.config import PlaygroundConfig
from lab.playground.server import PlaygroundServer
from lab.playground.world.defaults import GENERAL_ID
from messages.base import Address, Message, RequestId, Surface, Window
from messages.model import ModelReply, ModelRequest, Usage
from messages.shell import RunBash

ONLINE_S = 60.0
STOP_S = 10.0
QUIET_S = 1.0
_USUAL = {"embedder.provider": "local", "model.retries": 0, "model.idle_timeout_s": 600}


@dataclass(slots=True)
class Counter:
    """Tap on the agent: counts requests for turns and their usage."""

    requests: int = 0
    usage: Usage = field(default_factory=Usage)
    answer_texts: list[str] = field(default_factory=list)
    """Text and calls of each of the model's answers, for a person who looks for the reason of a miss."""
    _open: set[RequestId] = field(default_factory=set)
    _commands: list[tuple[str, threading.Event]] = field(default_factory=list)

    def wait_for_command(self, part: str) -> threading.Event:
        """Event set at the first request for a command containing `part`."""
        seen = threading.Event()
        self._commands.append((part, seen))
        return seen

    def __call__(self, _to: Address, message: Message) -> None:
        """Count a message."""
        match message:
            case ModelRequest(purpose="", request_id=request_id):
                self.requests += 1
                self._open.add(request_id)
            case ModelReply(request_id=request_id, usage=usage) if request_id in self._open:
                self._open.discard(request_id)
                self.usage += usage
                calls = (f"[{call.name} {call.arguments_json}]" for call in message.tool_calls)
                self.answer_texts.append(" ".join([message.text, *calls]))
            case RunBash(command=command):
                for part, seen in self._commands:
                    if part in command:
                        seen.set()
            case _:
                return


@dataclass(frozen=True, slots=True, kw_only=True)
class Played:
    """Outcome of a task."""

    fault: str
    """Missing effect; empty for a finished task."""
    answers: tuple[str, ...]
    answer_texts: tuple[str, ...]
    figures: Mapping[str, float]


class Ticks:
    """Clock of a playground, advanced by each reading: threads have the same ids, and so the same prompts, each time.

    Anything that the model's server caches of one task is of use to the next.
    """

    def __init__(self, begin: float) -> None:
        """Clock at its beginning.

        Args:
            begin: Seconds since 1970.
        """
        self._ticks = itertools.count()
        self._begin = begin

    def __call__(self) -> float:
        """Read the time, in seconds since 1970."""
        return self._begin + next(self._ticks) / 1000


class Stage:
    """Player of tasks with one model."""

    def __init__(self, model: str, api_base: str, *, patience_s: float) -> None:
        """Begin without a running agent.

        Args:
            model: Name as in `model.name`.
            api_base: Address of a server in OpenAI's form; empty for the provider's own.
            patience_s: Longest wait for one answer.
        """
        self._settings: dict[str, object] = {**_USUAL, "model.name": model}
        if api_base:
            self._settings |= {"model.api_base": api_base, "model.api": "openai"}
        self._secrets = {"OPENAI_API_KEY": "none"} if api_base else {}
        self._secrets |= {name: value for name, value in os.environ.items() if name.endswith("_API_KEY")}
        self._patience_s = patience_s
        self._began_at = SystemClock().now().timestamp()

    def play(self, task: Task, folder: Path) -> Played:
        """Play one task from an empty data root.

        Args:
            task: The task.
            folder: Folder for all files of the task; removed afterwards.

        Raises:
            MeasurementError: the agent does not come online.
        """
        try:
            return self._play(task, folder)
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    def _play(self, task: Task, folder: Path) -> Played:
        with PlaygroundServer(PlaygroundConfig(clock=Ticks(self._began_at))) as server:
            data, counter, online = folder / "data", Counter(), threading.Event()
            options = {"data_root": str(data), "skills.folders": [str(folder / "skills")], **self._settings}
            settings = load(environ={}, folder=folder, overrides=options, tables=settings_tables(LAYERS))
            main = server.create_thread(GENERAL_ID, MAIN)
            prepare(task, folder, main)
            agent = Agent(settings, self._secrets, playground_connection(server), lambda _name: online.set())
            agent.start()
            agent.system.overhear(counter)
            try:
                if not online.wait(ONLINE_S):
                    raise MeasurementError(f"the agent did not come online: {agent.reason}")
                return self._converse(task, server, counter, data, main)
            finally:
                agent.stop(0)

    def _converse(self, task: Task, server: PlaygroundServer, counter: Counter, data: Path, main: int) -> Played:
        threads, answers, sent = {MAIN: main}, list[str](), dict[str, bytes]()
        now = SystemClock().monotonic
        began_at = now()
        for message in task.messages:
            if message.thread not in threads:
                threads[message.thread] = server.create_thread(GENERAL_ID, message.thread)
            replies = self._say(server, threads[message.thread], message, counter)
            answers.append("\n".join(str(reply["content"]) for reply in replies))
            for file in (file for reply in replies for file in reply["attachments"]):
                sent[str(file["filename"])] = server.file(int(file["id"]))
        seconds = now() - began_at
        reminders = data / "reminders.md"
        effects = Effects(
            work=work_folder(data, main),
            reminders=reminders.read_text() if reminders.is_file() else "",
            answers=tuple(answers),
            sent=sent,
            stopped=sum(log.read_text().count('"what":"aborted"') for log in (data / "logs").rglob("*.md")),
        )
        fault = task.judge(effects)
        figures = {
            "ok": float(not fault),
            "requests": float(counter.requests),
            "prompt_tokens": float(counter.usage.prompt_tokens),
            "cached_tokens": float(counter.usage.cached_tokens),
            "completion_tokens": float(counter.usage.completion_tokens),
            "seconds": seconds,
            "protocol": float(sum(map(shows_protocol, answers))),
        }
        return Played(fault=fault, answers=effects.answers, answer_texts=tuple(counter.answer_texts), figures=figures)

    def _say(self, server: PlaygroundServer, thread: int, message: Say, counter: Counter) -> list[dict[str, Any]]:
        """Say one message and return the settled replies; no replies after a timeout."""
        seen = counter.wait_for_command(message.stop_at) if message.stop_at else None
        message_id = server.say(thread, message.text)
        patience_s = self._patience_s
        if seen is not None and seen.wait(patience_s):
            server.slash(thread, "stop")
            patience_s = STOP_S  # a stopped turn may leave no words
        try:
            return server.settled_replies(thread, after=message_id, quiet_s=QUIET_S, timeout_s=patience_s)
        except TimeoutError:
            return []


def prepare(task: Task, folder: Path, main: int) -> None:
    """Put a task's files, reminders and skill into the agent's folders."""
    data = folder / "data"
    data.mkdir(mode=0o700, parents=True)
    for root, files in ((work_folder(data, main), task.files), (folder / "skills", task.skill)):
        for name, text in files.items():
            path = root / name
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            path.write_text(text)
            path.chmod(0o755 if text.startswith("#!") else 0o644)
    if task.reminders:
        lines = (f"- [ ] {line} in=discord-thread/{main}\n" for line in task.reminders)
        (data / "reminders.md").write_text("".join(lines))


def work_folder(data: Path, thread: int) -> Path:
    """Working directory of a thread's commands."""
    return workdir(data / "work", Window(surface=Surface.DISCORD_THREAD, id=str(thread)))


_PROTOCOL = re.compile(
    r"\bEXPAND\b|INJECTED_CONTEXT_|</?tool_|<\|\w+\|>|\"arguments\"\s*:|^\[\d{4}-\d\d-\d\d \d\d:\d\d UTC\]",
    re.IGNORECASE | re.MULTILINE,
)


def shows_protocol(answer: str) -> bool:
    """True if people are shown the protocol between the runtime and the model."""
    return _PROTOCOL.search(answer) is not None

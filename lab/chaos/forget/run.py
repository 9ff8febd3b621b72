"""Benchmark of forgetting: plants strings in all ways, forgets under kills, stops, and searches every byte."""

from __future__ import annotations

import os
import random
import sys
import tempfile
import threading
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from itertools import cycle
from pathlib import Path

from actors.kernel import SystemClock
from actors.socket.client import AgentNotRunningError, RefusalError, ask_operator
from lab.bench.benchmark import Benchmark, Column, Rows, Target
from lab.bench.process import MeasurementError, output_of
from lab.chaos.forget.asking import Asker, Way
from lab.chaos.forget.planting import Model, Planted, Planter
from lab.chaos.forget.search import search, search_open_files
from lab.chaos.kills.nursery import LivingAgent, Nursery
from lab.chaos.kills.settings import CONFIG, DATA, Surroundings, write_settings
from lab.chaos.kills.word import CALM, Word
from lab.load.agent_process import environment
from lab.loopback_model.server import LoopbackModel
from lab.playground.server import PlaygroundServer

PATIENCE_S = 600.0
LONGEST_LIFE_S = 0.6
"""Most seconds from the confirmation of a request to a kill."""
_WAYS_OF_PAST = (Way.MESSAGES, Way.PERSON, Way.OPERATOR, Way.TOPIC)
"""Ways in which imported words are forgotten: a person for each; another person's in the same channel stay."""
_SETTINGS_OF_LAYERS = {"facts": "ingest_discord = true\nenable_git_versioning = true", "curated": "capture = true"}
"""Table of the settings -> settings for keeping more."""
_AGENT = "from lab.commands import agent; agent()"
Say = Callable[[str], object]


def measure(say: Say, *, strings: int, kills: int, seed: int) -> Rows:
    """Figures of the search after all was forgotten, and of what was not to be forgotten.

    Args:
        say: Told the current step.
        strings: Least number of planted strings.
        kills: Number of kills while requests are carried out.
        seed: Of the strings and the times of kills.

    Raises:
        MeasurementError: the agent does not come online, or a request does not end.
    """
    with (
        tempfile.TemporaryDirectory(prefix="agent-forget-") as place,
        PlaygroundServer() as server,
        LoopbackModel(kept_requests=0) as loopback,
        Nursery() as nursery,
    ):
        model = Model()
        loopback.behave = model.behave
        channel_id = server.create_channel("forgetting")
        folder = Path(place)
        around = Surroundings(
            discord_base=server.api_base,
            gateway_url=server.gateway_url,
            token=server.bot_token,
            channel_id=channel_id,
            model_base=loopback.api_base,
        )
        write_settings(folder, around, asks_litellm=False)
        _keep_all(folder / CONFIG)
        chance = random.Random(seed)
        planter = Planter(server, model, chance, channel_id)
        return _Course(folder, server, nursery, planter, chance).run(say, strings, kills)


class _Course:
    """Course of one benchmark."""

    def __init__(
        self, folder: Path, server: PlaygroundServer, nursery: Nursery, planter: Planter, chance: random.Random
    ) -> None:
        self._folder, self._data = folder, folder / DATA
        self._server, self._nursery, self._planter, self._chance = server, nursery, planter, chance
        self._asker = Asker(server, self._data)
        self._now = SystemClock().monotonic
        self._kills = 0

    def run(self, say: Say, strings: int, kills: int) -> Rows:
        """Plant, forget, and search."""
        past, others = [self._planter.plant_past() for _ in _WAYS_OF_PAST], [self._planter.plant_past()]
        self._agent = self._start()
        self._import()
        others.append(self._planter.plant())
        people = list[Planted]()
        while sum(len(each.strings) for each in (*past, *people)) < strings:
            say(f"person {len(people) + 1} plants")
            people.append(self._planter.plant())
        self._settle()
        planted = {text: way for each in (*past, *people) for text, way in each.strings.items()}
        known = search(self._folder, planted)
        rooms = {_room_of(path) for paths in known.values() for path in paths}
        say(f"{len(known)} strings on the disk, in {', '.join(sorted(rooms))}")
        ways = cycle(Way)
        chosen = [*zip(_WAYS_OF_PAST, past, strict=True), *((next(ways), each) for each in people)]
        requests = [each for way, person in chosen for each in self._asker.requests(way, person)]
        for number, request in enumerate(requests):
            say(f"request {number + 1} of {len(requests)}, {self._kills} kills")
            self._forget(request, -(-(kills - self._kills) // (len(requests) - number)))
        self._settle()
        running = search(self._folder, planted).keys() | search_open_files(self._agent.pid, planted)
        self._end()
        figures = {"on_disk_before": len(known), "rooms_before": len(rooms), "requests": len(requests)}
        figures["left_while_running"] = len(running)
        return {"forgetting": figures | self._judge(planted, [text for each in others for text in each.strings])}

    def _import(self) -> None:
        """Have the agent take in what was said before its first start."""
        ask_operator(self._data, "import.discord", PATIENCE_S)
        self._wait(
            lambda: ask_operator(self._data, "import.status", PATIENCE_S)["state"] == "done", "the import to end"
        )

    def _judge(self, planted: dict[str, str], others: list[str]) -> dict[str, float]:
        left = search(self._folder, planted)
        copy = self._folder / "backup"
        problems = self._call("logs", "check", str(self._data / "logs"))
        unfit = self._call("backup", "--config", str(self._folder / CONFIG), str(copy))
        in_copy = search(copy, planted) if copy.exists() else {}
        rooms = Counter(f"{_room_of(path)} ({planted[text]})" for text, paths in left.items() for path in paths)
        for room, count in rooms.most_common():
            sys.stderr.write(f"left: {count} in {room}\n")
        return {
            "planted": len(planted),
            "kills": self._kills,
            "left": len(left),
            "left_in_backup": len(in_copy),
            "log_problems": problems,
            "no_backup": unfit,
            "others": len(others),
            "others_lost": len(others) - len(search(self._data, others)),
        }

    def _call(self, *arguments: str) -> int:
        """1 if a command of the agent's fails, else 0."""
        try:
            command = [sys.executable, "-P", "-c", _AGENT, *arguments]
            output_of(command, arguments[0], environment(os.environ, ""))
        except MeasurementError as error:
            sys.stderr.write(f"{error}\n")
            return 1
        return 0

    def _forget(self, request: Callable[[], None], kills: int) -> None:
        """Carry out a request; the agent is killed so often meanwhile, and each next life goes on."""
        if kills:
            threading.Thread(target=self._ask, args=(request,), daemon=True).start()
        for _ in range(kills):
            self._agent.over.wait(self._chance.uniform(0, LONGEST_LIFE_S))
            self._agent.kill()
            self._nursery.bury(self._agent)
            self._kills += 1
            self._agent = self._start()
        self._wait(lambda: self._asker.count_unfinished() == 0, "a request to end")
        request()  # A kill before the confirmation leaves nothing of the first one.
        self._wait(lambda: self._asker.count_unfinished() == 0, "a request to end")

    def _ask(self, request: Callable[[], None]) -> None:
        with suppress(TimeoutError, ValueError, RuntimeError, AgentNotRunningError, RefusalError, MeasurementError):
            request()  # The agent is killed meanwhile.

    def _start(self) -> LivingAgent:
        agent = self._nursery.start(self._folder / CONFIG, self._folder / "stderr")
        self._wait(lambda: self._is_online(agent), "the agent to come online")
        return agent

    def _is_online(self, agent: LivingAgent) -> bool:
        if agent.has_ended():
            raise MeasurementError(f"the agent ended by itself: {(self._folder / 'stderr').read_text()[-500:]}")
        with suppress(TimeoutError):
            self._server.wait_until_online(timeout_s=0.2)
            return True
        return False

    def _end(self) -> None:
        self._agent.terminate()
        self._nursery.bury(self._agent)

    def _settle(self) -> None:
        word = Word(self._data)
        self._wait(lambda: word.ask() >= CALM, "rest")

    def _wait(self, is_so: Callable[[], bool], what: str) -> None:
        ends_at, pause = self._now() + PATIENCE_S, threading.Event()
        while not is_so():
            if self._now() > ends_at:
                raise MeasurementError(f"{what}: not within {PATIENCE_S:g} s")
            pause.wait(0.05)


def _keep_all(config: Path) -> None:
    """Have each layer keep people's words from Discord, with a history where one is possible."""
    text = config.read_text()
    for table, settings in _SETTINGS_OF_LAYERS.items():
        text = text.replace(f"[{table}]\n", f"[{table}]\n{settings}\n", 1)
    config.write_text(text)


def _room_of(path: str) -> str:
    """Folder of the data root, or name beside the data root, with the file inside."""
    parts = path.split("/")
    return parts[1] if parts[0] == DATA and len(parts) > 1 else parts[0]


FORGET = Benchmark(
    name="forget",
    measure=measure,
    targets=(
        Target("strings left", "left", 0),
        Target("strings left while it runs, in open files, too", "left_while_running", 0),
        Target("strings in a new backup", "left_in_backup", 0),
        Target("failed checks of logs", "log_problems", 0),
        Target("failed backups", "no_backup", 0),
        Target("strings of another person lost", "others_lost", 0),
    ),
    columns=(
        Column("strings", "planted", ",.0f"),
        Column("of them on the disk before", "on_disk_before", ",.0f"),
        Column("folders with one before", "rooms_before", ",.0f"),
        Column("requests", "requests", ",.0f"),
        Column("kills", "kills", ",.0f"),
        Column("left while it runs", "left_while_running", ",.0f"),
        Column("left", "left", ",.0f"),
        Column("left in a backup", "left_in_backup", ",.0f"),
        Column("strings of another person", "others", ",.0f"),
        Column("of them lost", "others_lost", ",.0f"),
    ),
    is_upright=True,
)

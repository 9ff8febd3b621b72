"""The control socket of a window is asked for once, and never used when it may be dead."""

from __future__ import annotations

import asyncio
import itertools
import shlex
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest

from actors.kernel import ActorSpec, ActorSystem
from actors.part import Verb
from actors.shell.actor import ShellActor
from actors.shell.config import ShellConfig
from actors.shell.door_cache import ENDING_S, DoorCache
from actors.socket.actor import SocketActor, SocketConfig
from messages.base import Address, Message, RequestId, Window
from messages.shell import BashResult, RunBash
from messages.socket import DoorOpen, OpenDoor, Refused
from messages.status import DescribeYourself, SelfDescription
from tests.actors.shell.bench import LEVELS, level, window
from tests.actors.socket.rig import OWNER, SOCKET, VERBS, OwnerActor
from tests.crash import CRASH
from tests.patience import PATIENCE_S

SHELL = Address("shell")
_NUMBERS = itertools.count(1)
_ASK = """
import json, os, socket
with socket.socket(socket.AF_UNIX) as s:
    s.connect(os.environ["AGENT_SOCKET"])
    s.sendall(json.dumps({"id": 1, "verb": "look", "arguments": {"query": "x"}}).encode() + b"\\n")
    print("one" in s.makefile().readline())
"""
ASK = f"python3 -I -S -c {shlex.quote(_ASK)}"
"""Prints `True` if the window's door leads to the owner of `look`."""


def request(of: Window | None = None) -> RunBash:
    return RunBash(
        request_id=RequestId(f"r{next(_NUMBERS)}"),
        reply_to=Address("edge", "test"),
        window=of or window(),
        command="true",
    )


class Porter:
    """Answers each question for a door with a socket of a name of its own, or with none."""

    def __init__(self, folder: Path, *, open_s: float = 1_000.0, refuses: bool = False) -> None:
        self.folder = folder
        self.open_s = open_s
        self.refuses = refuses
        self.questions: list[Window] = []
        self.cache = DoorCache(self._ask)

    def _ask(self, of: RunBash) -> asyncio.Future[DoorOpen | Refused]:
        self.questions.append(of.window)
        path = self.folder / f"{len(self.questions)}.sock"
        path.touch()
        answer = asyncio.get_running_loop().create_future()
        refusal = Refused(request_id=of.request_id, reason="no doors")
        opened = DoorOpen(request_id=of.request_id, path=str(path), open_s=self.open_s)
        answer.set_result(refusal if self.refuses else opened)
        return answer

    def remove(self, path: str) -> None:
        """As an actor does that ends."""
        Path(path).unlink()


def doors(porter: Porter, *commands: tuple[Window, float]) -> list[str]:
    """The door that each command gets, by the file's name."""

    async def run() -> list[str]:
        return [Path(await porter.cache.door(request(of), timeout_s)).name for of, timeout_s in commands]

    return asyncio.run(run())


def test_a_window_asks_once_and_each_window_for_itself(tmp_path: Path) -> None:
    porter = Porter(tmp_path)
    commands = [(window(1), 120.0), (window(1), 120.0), (window(2), 120.0), (window(1), 600.0), (window(2), 1.0)]
    assert doors(porter, *commands) == ["1.sock", "1.sock", "2.sock", "1.sock", "2.sock"]
    assert porter.questions == [window(1), window(2)]


def test_a_door_that_might_close_before_a_commands_end_is_asked_for_again(tmp_path: Path) -> None:
    porter = Porter(tmp_path, open_s=100.0)
    enough, too_long = 90.0, 100.0 - ENDING_S + 0.1
    assert doors(porter, (window(), too_long), (window(), enough), (window(), too_long)) == [
        "1.sock",
        "1.sock",
        "2.sock",
    ]


def test_a_socket_that_has_gone_is_asked_for_again(tmp_path: Path) -> None:
    porter = Porter(tmp_path)

    async def run() -> list[str]:
        first = await porter.cache.door(request(), 1.0)
        porter.remove(first)
        return [first, await porter.cache.door(request(), 1.0), await porter.cache.door(request(), 1.0)]

    assert [Path(path).name for path in asyncio.run(run())] == ["1.sock", "2.sock", "2.sock"]


def test_a_refusal_is_not_remembered(tmp_path: Path) -> None:
    porter = Porter(tmp_path, refuses=True)
    assert doors(porter, (window(), 1.0), (window(), 1.0)) == ["", ""]
    porter.refuses = False
    assert doors(porter, (window(), 1.0)) == ["3.sock"]


def test_leases_that_have_ended_are_forgotten(tmp_path: Path) -> None:
    porter = Porter(tmp_path, open_s=0.0)
    assert doors(porter, *((window(number), 1.0) for number in range(50))) == [f"{n}.sock" for n in range(1, 51)]
    assert len(porter.cache) == 1


class CountingSocketActor(SocketActor):
    """Notes for which windows it is asked for a door."""

    def __init__(self, config: SocketConfig, questions: list[Window]) -> None:
        super().__init__(config)
        self._questions = questions

    def handle(self, message: Message) -> None:
        if isinstance(message, OpenDoor):
            self._questions.append(message.window)
        super().handle(message)


class House:
    """A shell, the actor of its doors, and a server behind them."""

    def __init__(
        self, root: Path, sandbox: str, idle_s: float = 1_000.0, verbs: Mapping[str, Verb] | None = None
    ) -> None:
        self.questions: list[Window] = []
        doors = SocketConfig(folder=root / "doors", verbs=verbs or {"look": VERBS["look"]}, idle_s=idle_s)
        config = ShellConfig(work_root=root / "work", data_root=root / "data", sandbox=sandbox, door=SOCKET)
        self.system = ActorSystem(workers=2)
        self.system.register(ActorSpec(OWNER.kind, lambda _key: OwnerActor(), core=True))
        self.system.register(ActorSpec(SOCKET.kind, lambda _key: CountingSocketActor(doors, self.questions), core=True))
        self.system.register(ActorSpec(SHELL.kind, lambda _key: ShellActor(config), core=True))
        self.system.start()
        self.edge = self.system.edge("test")

    def run(self, command: str, of: Window | None = None, lane: str = "") -> str:
        request_id = RequestId(f"r{next(_NUMBERS)}")
        self.edge.tell(
            SHELL,
            RunBash(
                request_id=request_id,
                reply_to=self.edge.address,
                window=of or window(),
                command=command,
                lane=lane,
            ),
        )
        result = self.edge.receive(PATIENCE_S, lambda message: getattr(message, "request_id", None) == request_id)
        assert isinstance(result, BashResult), result
        return result.text

    def wait_for_doors(self) -> int:
        """Number of doors, once their actor reaches this question."""
        self.edge.tell(SOCKET, DescribeYourself(request_id=RequestId("d"), reply_to=self.edge.address))
        description = self.edge.receive(PATIENCE_S, lambda message: isinstance(message, SelfDescription))
        assert isinstance(description, SelfDescription)
        return int(dict(description.figures)["doors"])


@pytest.fixture(params=LEVELS)
def make_house(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Callable[..., House]]:
    if level(request.param).refusal:
        pytest.skip(level(request.param).refusal)
    houses: list[House] = []

    def make(idle_s: float = 1_000.0) -> House:
        houses.append(House(tmp_path, request.param, idle_s))
        return houses[-1]

    yield make
    for house in houses:
        house.system.stop()


def test_commands_of_a_window_share_one_question(make_house: Callable[..., House]) -> None:
    house = make_house()
    assert [house.run(ASK) for _ in range(3)] == ["True"] * 3
    assert house.run(ASK, window(1)) == "True"
    assert house.questions == [window(), window(1)]


def test_a_door_that_closes_soon_is_asked_for_with_each_command(make_house: Callable[..., House]) -> None:
    house = make_house(idle_s=60.0)
    assert [house.run(ASK) for _ in range(2)] == ["True"] * 2
    assert len(house.questions) == 2


@pytest.mark.crashes
def test_when_the_sockets_actor_restarts_the_next_command_has_a_door_that_lives(
    make_house: Callable[..., House],
) -> None:
    house = make_house()
    assert house.run(ASK) == "True"
    house.edge.tell(SOCKET, CRASH)
    assert house.wait_for_doors() == 0
    assert [house.run(ASK), house.run(ASK)] == ["True", "True"]
    assert house.questions == [window(), window()]

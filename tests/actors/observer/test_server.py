"""The observer's server in a real system: admission of readers, and content of the page."""

from __future__ import annotations

import http.client
import json
import logging
import socket
import threading
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest

from actors.kernel import Actor, ActorSpec, ActorSystem
from actors.linux.disk import OBSERVER_PAGE
from actors.observer import server
from actors.observer.actor import ObserverActor
from actors.observer.metrics import CONTENT_TYPE
from actors.observer.server import PLACES, Limits
from domain.log.window import log_folder
from messages.base import Address, Message, RequestId, Surface, Window
from messages.memory import MEMORY, ExplainMemory
from messages.model import LEDGER, SPENT, ReadUsage, UsageRead
from messages.scheduler import SCHEDULER, ListReminders, RemindersListed
from messages.skills import SKILLS, ListSkills, SkillEntry, SkillsListed, SkillState
from messages.socket import Refused
from messages.status import OBSERVER, DescribeYourself, SelfDescription
from tests.actors.observer.prometheus import read_metrics, usage_of
from tests.domain.log.logs import log_of, message_event
from tests.patience import PATIENCE_S

WINDOW = Window(surface=Surface.DISCORD_THREAD, id="123456789012345678")
TEA = SkillEntry(name="tea", description="Makes tea.", path="/s/tea", origin="/src", state=SkillState.CHANGED, tokens=0)
NO_HEADERS: Mapping[str, str] = MappingProxyType({})


class Answerer(Actor):
    """Stands for the memory, the scheduler and the skills."""

    def __init__(self, asked: list[str]) -> None:
        super().__init__()
        self._asked = asked

    def handle(self, message: DescribeYourself | ExplainMemory | ListReminders | ListSkills) -> None:
        match message:
            case DescribeYourself():
                self._asked.append(self.address.kind)
                answer: Any = SelfDescription(
                    request_id=message.request_id,
                    about=self.address.kind,
                    figures=(("state", "ready"),),
                    operator_figures=(("pending", 3),),
                )
            case ExplainMemory():
                answer = Refused(request_id=message.request_id, reason=f"nothing about {message.about!r}")
            case ListSkills():
                answer = SkillsListed(request_id=message.request_id, skills=(TEA,), warnings=("tea: w",), tokens=90)
            case _:
                answer = RemindersListed(request_id=message.request_id, reminders=(), left_out=0, invalid=())
        self.tell(message.reply_to, answer)


class Rig:
    """An observer in a system, and a reader of the page."""

    def __init__(self, root: Path, port: int = 0, **limits: Any) -> None:
        self.root = root
        self.asked: list[str] = []
        self._connections: list[http.client.HTTPConnection] = []
        self.system = ActorSystem(workers=2)
        for address in (MEMORY, SCHEDULER, SKILLS):
            self.system.register(ActorSpec(address.kind, lambda _key: Answerer(self.asked)))
        made = ObserverActor(root, port, (MEMORY,), Limits(**limits))
        self.system.register(ActorSpec(OBSERVER.kind, lambda _key: made, is_eager=True))
        self.system.start()
        self.url = self._url()
        host, _, rest = self.url.removeprefix("http://").partition("/")
        self.host = host
        self.token = rest.partition("token=")[2]

    def _url(self) -> str:
        pause = threading.Event()
        for _ in range(int(PATIENCE_S * 50)):
            if (self.root / OBSERVER_PAGE).exists():
                return str(json.loads((self.root / OBSERVER_PAGE).read_text())["url"])
            pause.wait(0.02)
        raise AssertionError("the observer does not listen")

    def open(self, path: str, headers: Mapping[str, str] = NO_HEADERS) -> tuple[int, http.client.HTTPResponse]:
        connection = http.client.HTTPConnection(self.host, timeout=PATIENCE_S)
        self._connections.append(connection)
        connection.request("GET", path, headers=dict(headers))
        response = connection.getresponse()
        return response.status, response

    def get(self, path: str) -> Any:
        status, response = self.open(path, self.key)
        return status, json.loads(response.read())

    def hang_up(self) -> None:
        """Close every connection."""
        for connection in self._connections:
            connection.close()
        self._connections.clear()

    def stop(self) -> None:
        self.hang_up()
        self.system.stop()

    @property
    def key(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.token}"}

    def events(self, response: http.client.HTTPResponse) -> Iterator[tuple[str, Any]]:
        name = ""
        while line := response.readline():
            if line.startswith(b"event: "):
                name = line[7:].strip().decode()
            elif line.startswith(b"data: "):
                yield name, json.loads(line[6:])


@pytest.fixture
def rig(tmp_path: Path) -> Iterator[Rig]:
    made = Rig(tmp_path)
    yield made
    made.stop()


def test_the_address_is_its_owners_alone_and_gone_at_the_end(tmp_path: Path) -> None:
    rig = Rig(tmp_path)
    assert (tmp_path / OBSERVER_PAGE).stat().st_mode & 0o777 == 0o600
    assert len(rig.token) == 16
    rig.stop()
    assert not (tmp_path / OBSERVER_PAGE).exists()


def test_the_whole_address_leads_to_the_page_by_a_cookie(rig: Rig) -> None:
    status, response = rig.open(f"/?token={rig.token}")
    assert (status, response.headers["Location"]) == (303, "/")
    cookie = response.headers["Set-Cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=Strict" in cookie
    status, response = rig.open("/", {"Cookie": cookie.split(";")[0]})
    assert status == 200
    assert b"<title>Observer</title>" in response.read()


@pytest.mark.parametrize(
    "path",
    [
        "/",
        "/events",
        "/memory",
        "/reminders",
        "/skills",
        "/usage",
        "/log?window=x",
        "/metrics",
        "/page/observer.js",
        "/nowhere",
    ],
)
@pytest.mark.parametrize(
    ("headers", "expected"),
    [
        ({}, 401),
        ({"Authorization": "Bearer aaaaaaaaaaaaaaaa"}, 401),
        ({"Authorization": "Bearer"}, 401),
        ({"Host": "example.org", "Authorization": "KEY"}, 403),
        ({"Origin": "http://example.org", "Authorization": "KEY"}, 403),
        ({"Origin": "http://127.0.0.1:1", "Authorization": "KEY"}, 403),
        ({"Sec-Fetch-Site": "cross-site", "Authorization": "KEY"}, 403),
        ({"Sec-Fetch-Site": "same-site", "Authorization": "KEY"}, 403),
    ],
)
def test_nobody_else_is_let_in(rig: Rig, path: str, headers: dict[str, str], expected: int) -> None:
    shown = {name: f"Bearer {rig.token}" if value == "KEY" else value for name, value in headers.items()}

    status, response = rig.open(path, shown)

    assert status == expected
    assert rig.token.encode() not in response.read()


@pytest.mark.parametrize(
    ("headers", "expected"), [({}, 401), ({"Host": "evil.example"}, 403), ({"Origin": "http://evil.example"}, 403)]
)
def test_who_is_not_let_in_keeps_no_connection(rig: Rig, headers: dict[str, str], expected: int) -> None:
    status, response = rig.open("/metrics", headers)
    assert (status, response.headers["Connection"]) == (expected, "close")

    _, response = rig.open("/memory", rig.key)
    assert response.headers["Connection"] != "close"


def test_events_tell_of_all_actors_and_the_figures_and_only_while_somebody_looks(rig: Rig) -> None:
    assert "tell" not in vars(rig.system)
    _, response = rig.open("/events", rig.key)
    seen: dict[str, Any] = {}
    kinds: set[str] = set()
    for name, data in rig.events(response):
        seen[name] = data
        kinds = {each["kind"] for each in seen.get("actors", {"kinds": ()})["kinds"]}
        if seen.get("figures") and "memory" in kinds:
            break
    assert {"memory", "observer"} <= kinds
    assert seen["actors"]["crash"] is None
    assert seen["figures"]["memory"] == {"state": "ready", "pending": 3}
    assert "tell" in vars(rig.system)
    response.close()
    rig.hang_up()
    _until(lambda: "tell" not in vars(rig.system))


@pytest.mark.crashes
def test_a_crash_is_told_with_what_it_was_over(rig: Rig) -> None:
    rig.system.tell(MEMORY, ListReminders(request_id="r", reply_to=None, window=WINDOW))  # type: ignore[arg-type]
    _, response = rig.open("/events", rig.key)
    crash = next(data["crash"] for name, data in rig.events(response) if name == "actors" and data["crash"])
    assert (crash["who"], crash["phase"], crash["message"]) == ("memory", "handle", "ListReminders")
    response.close()


class Crasher(Actor):
    def handle(self, message: Message) -> None:
        raise ValueError("half a pair: \ud800")


@pytest.mark.crashes
def test_half_a_surrogate_pair_ends_no_events(rig: Rig, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.CRITICAL + 1, "actors.kernel.supervisor")  # the runner of tests cannot pass it on
    rig.system.register(ActorSpec("crasher", lambda _key: Crasher()))
    rig.system.tell(Address("crasher"), ListReminders(request_id=RequestId("r"), reply_to=MEMORY, window=WINDOW))
    _, response = rig.open("/events", rig.key)
    crash = next(data["crash"] for name, data in rig.events(response) if name == "actors" and data["crash"])
    assert crash["error"] == "ValueError: half a pair: \ud800"
    response.close()


def test_metrics_are_text_whatever_a_model_is_called(rig: Rig) -> None:
    edge = rig.system.edge("e")
    for follower in rig.system.topics.of(SPENT):
        edge.tell(follower, usage_of('half \ud800 "and\\a\nline'))

    _until(lambda: b'model="half ? \\"and\\\\a\\nline"' in rig.open("/metrics", rig.key)[1].read())


def test_what_a_log_holds_is_told_also_if_it_is_half_a_surrogate_pair(rig: Rig) -> None:
    folder = rig.root / log_folder(WINDOW)
    folder.mkdir(parents=True)
    (folder / "20260130T142355Z_0001.md").write_bytes(log_of([message_event(1, "half a pair: \ud800")]))

    status, shown = rig.get(f"/log?window={WINDOW.address.key}")
    assert (status, shown["entries"][0]["text"]) == (200, "half a pair: \ud800")


class Ledger(Actor):
    """Takes so long for its sums."""

    def __init__(self, asked: list[str], takes_s: float) -> None:
        super().__init__()
        self._asked = asked
        self._takes_s = takes_s

    def handle(self, message: ReadUsage) -> None:
        self._asked.append("usage")
        if self._takes_s:
            threading.Event().wait(self._takes_s)
        self.tell(message.reply_to, UsageRead(request_id=message.request_id, by_day=(), by_window=()))


def test_a_ledger_that_takes_long_is_not_summed_for_each_who_asks(tmp_path: Path) -> None:
    rig = Rig(tmp_path, usage_rest=10 * PATIENCE_S)
    rig.system.register(ActorSpec(LEDGER.kind, lambda _key: Ledger(rig.asked, 0.1)))

    assert [rig.get("/usage") for _ in range(3)] == [(200, {"days": [], "windows": []})] * 3
    assert rig.asked == ["usage"]
    rig.stop()


def test_a_ledger_that_takes_no_time_is_asked_each_time(tmp_path: Path) -> None:
    rig = Rig(tmp_path, usage_rest=0)
    rig.system.register(ActorSpec(LEDGER.kind, lambda _key: Ledger(rig.asked, 0.0)))
    for _ in range(3):
        rig.get("/usage")

    assert rig.asked == ["usage"] * 3
    rig.stop()


def test_a_long_log_is_not_read_for_each_who_asks(tmp_path: Path) -> None:
    rig = Rig(tmp_path, log_bytes_per_s=1)
    folder = rig.root / log_folder(WINDOW)
    folder.mkdir(parents=True)
    log = folder / "20260130T142355Z_0001.md"
    path = f"/log?window={WINDOW.address.key}"

    def events_after_another(count: int) -> int:
        log.write_bytes(log_of([message_event(n, "x") for n in range(count)]))
        return int(rig.get(path)[1]["events"])

    assert rig.get(path) == (200, {"trouble": "no message was logged there yet"})
    assert [events_after_another(count) for count in (1, 2)] == [1, 1]
    rig.stop()
    rig = Rig(tmp_path, log_bytes_per_s=10**9)
    assert [events_after_another(count) for count in (3, 4)] == [3, 4]
    rig.stop()


def test_of_many_logs_the_newest_looks_are_kept(tmp_path: Path) -> None:
    rig = Rig(tmp_path, most_logs=2, log_bytes_per_s=0.001)
    windows = [Window(surface=Surface.DISCORD_THREAD, id=str(10**17 + n)) for n in range(3)]
    for window in windows:
        folder = rig.root / log_folder(window)
        folder.mkdir(parents=True)
        (folder / "20260130T142355Z_0001.md").write_bytes(log_of([message_event(1, "first")]))
        assert rig.get(f"/log?window={window.address.key}")[1]["events"] == 1
        (folder / "20260130T142355Z_0001.md").write_bytes(
            log_of([message_event(1, "first"), message_event(2, "second")])
        )

    shown = [rig.get(f"/log?window={window.address.key}")[1]["events"] for window in reversed(windows)]
    rig.stop()
    assert shown == [1, 1, 2]


def test_what_actors_refuse_is_told_in_their_words(rig: Rig) -> None:
    assert rig.get("/memory?window=w") == (200, {"trouble": "nothing about 'w'"})
    assert rig.get("/reminders") == (200, {"reminders": [], "left_out": 0, "invalid": 0})


@pytest.mark.req("X-268")
def test_skills_are_told_with_their_origin_state_and_cost(rig: Rig) -> None:
    tea = {"name": "tea", "description": "Makes tea.", "origin": "/src", "state": "changed", "tokens": 0}

    assert rig.get("/skills") == (200, {"skills": [tea], "left_out": 0, "tokens": 90, "findings": ["tea: w"]})


@pytest.mark.crashes
def test_metrics_tell_of_actors_of_calls_and_of_what_actors_say_of_themselves(rig: Rig) -> None:
    edge = rig.system.edge("e")
    for follower in rig.system.topics.of(SPENT):
        edge.tell(follower, usage_of("m", took_s=0.3))
    rig.system.tell(MEMORY, ListReminders(request_id="r", reply_to=None, window=WINDOW))  # type: ignore[arg-type]
    _until(lambda: rig.system.supervisor.restarts().get("memory") == 3)
    assert rig.asked == []

    counted = 'remembrancer_calls_total{kind="model",model="m",outcome="answered"}'
    scrapes: list[dict[str, float]] = []

    def is_counted() -> bool:
        status, response = rig.open("/metrics", rig.key)
        scrapes.append(read_metrics(response.read().decode()))
        assert (status, response.headers["Content-Type"]) == (200, CONTENT_TYPE)
        return counted in scrapes[-1]

    _until(is_counted)
    found = scrapes[-1]
    assert found['remembrancer_actors{kind="observer"}'] == 1
    assert found['remembrancer_mailbox_messages{kind="memory"}'] == 0
    assert found['remembrancer_crashes_total{kind="memory"}'] == 3
    assert found['remembrancer_restarts_total{kind="memory"}'] == 3
    assert found['remembrancer_dead_letters_total{reason="failed 3 times"}'] == 1
    assert found[counted] == 1
    assert found['remembrancer_figure{actor="memory",figure="pending"}'] == 3
    assert rig.asked == ["memory"] * len(scrapes)
    assert "tell" not in vars(rig.system)


@pytest.mark.parametrize(
    ("window", "status", "rule"),
    [
        ("..%2F..%2Fetc", 400, "surface"),
        ("discord-thread/12", 400, "15 to 20 decimal digits"),
        ("discord-thread%2F123456789012345678", 200, "no message was logged there yet"),
    ],
)
def test_a_log_is_a_windows_log_or_none(rig: Rig, window: str, status: int, rule: str) -> None:
    found, answer = rig.get(f"/log?window={window}")
    assert found == status
    assert rule in answer["trouble"]


def test_a_huge_head_is_refused_and_a_hundred_readers_are_served(rig: Rig) -> None:
    status, _ = rig.open("/", {**rig.key, "X-Much": "x" * 100_000})
    assert status == 431
    readers = [rig.open("/events", rig.key)[1] for _ in range(100)]
    assert all(next(rig.events(reader))[0] in ("actors", "figures") for reader in readers)
    for reader in readers:
        reader.close()
    rig.hang_up()
    assert PLACES.most > 100


def test_a_reader_that_takes_nothing_is_cut_off_and_another_is_told_the_whole_state(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rig = Rig(tmp_path, places=replace(PLACES, most=1), slowest_write_s=0.5)
    host, _, port = rig.host.partition(":")
    with socket.create_connection((host, int(port)), timeout=PATIENCE_S) as slow:
        with monkeypatch.context() as patch:
            patch.setattr(server, "_event", lambda _name, _data: b": " + b"x" * 16_000_000 + b"\n\n")
            head = f"GET /events HTTP/1.1\r\nHost: {rig.host}\r\nAuthorization: {rig.key['Authorization']}\r\n\r\n"
            slow.sendall(head.encode())
            _until(lambda: "tell" in vars(rig.system))
            _until(lambda: "tell" not in vars(rig.system))

        def is_let_in() -> bool:
            try:
                found.append(rig.open("/events", rig.key)[1])
            except (ConnectionError, http.client.HTTPException):  # the only connection is still the slow one's
                return False
            return True

        found: list[http.client.HTTPResponse] = []
        _until(is_let_in)
        message_event = next(data for name, data in rig.events(found[0]) if name == "actors")
        assert message_event["windows"]["all"] is True
    rig.stop()


def test_a_port_that_is_taken_is_told_and_tried_again(
    rig: Rig, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    taken = int(rig.host.partition(":")[2])
    root = tmp_path / "other"
    root.mkdir()
    system = ActorSystem(workers=1)
    system.register(ActorSpec(OBSERVER.kind, lambda _key: ObserverActor(root, taken, ()), is_eager=True))
    system.start()
    edge = system.edge("e")

    def is_in_trouble() -> bool:
        edge.tell(OBSERVER, DescribeYourself(request_id="q", reply_to=edge.address))  # type: ignore[arg-type]
        answer = edge.receive(PATIENCE_S)
        assert isinstance(answer, SelfDescription)
        return dict(answer.figures)["state"] == "in trouble"

    _until(is_in_trouble)
    assert f"127.0.0.1:{taken}" in caplog.text
    system.stop()


def test_an_address_that_cannot_be_written_is_tried_again_and_told_once(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    file = tmp_path / OBSERVER_PAGE
    file.mkdir()
    system = ActorSystem(workers=1)
    made = ObserverActor(tmp_path, 0, (), Limits(again_s=0.02))
    system.register(ActorSpec(OBSERVER.kind, lambda _key: made, is_eager=True))
    system.start()
    _until(lambda: OBSERVER_PAGE in caplog.text)
    threading.Event().wait(0.2)
    file.rmdir()
    _until(file.is_file)
    system.stop()

    assert caplog.text.count("cannot be written") == 1


def test_an_address_that_cannot_be_taken_away_keeps_nothing_open(rig: Rig, caplog: pytest.LogCaptureFixture) -> None:
    (rig.root / OBSERVER_PAGE).unlink()
    (rig.root / OBSERVER_PAGE).mkdir()
    rig.system.stop()

    assert f"{OBSERVER_PAGE} cannot be removed" in caplog.text
    with pytest.raises(ConnectionRefusedError):
        rig.open("/", rig.key)


def _until(holds: Any) -> None:
    pause = threading.Event()
    for _ in range(int(PATIENCE_S * 50)):
        if holds():
            return
        pause.wait(0.02)
    raise AssertionError("it did not come to be")

"""The reminders script, through a real socket and the real scheduler, into a real file."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from actors.edited_file.rewriting import Waits
from actors.kernel import ActorSpec, ActorSystem, Edge
from actors.part import SHIPPED_SKILLS, Verb
from actors.scheduler.actor import SchedulerActor
from actors.scheduler.config import SchedulerConfig
from actors.scheduler.state import SchedulerState
from actors.scheduler.zone import load_zone
from actors.socket.actor import SocketActor, SocketConfig
from domain.reminder.document import scan
from messages.base import Address, RequestId, Surface, Window
from messages.discord import PostMessage
from messages.scheduler import CreateReminder, DeleteReminder, ListReminders, ModifyReminder
from messages.socket import DoorOpen, OpenDoor
from tests.patience import PATIENCE_S

SCRIPT = SHIPPED_SKILLS / "reminders" / "scripts" / "reminders.py"
WINDOW = Window(surface=Surface.DISCORD_THREAD, id="100000000000000001")
SCHEDULER = Address("scheduler")
VERBS = {
    "reminders.create": Verb(SCHEDULER, CreateReminder),
    "reminders.modify": Verb(SCHEDULER, ModifyReminder),
    "reminders.delete": Verb(SCHEDULER, DeleteReminder),
    "reminders.list": Verb(SCHEDULER, ListReminders),
}
Run = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def folder() -> Iterator[Path]:
    """A short path, as sockets need."""
    with TemporaryDirectory(prefix="r-") as folder:
        yield Path(folder)


@pytest.fixture
def system() -> Iterator[ActorSystem]:
    system = ActorSystem(workers=2)
    yield system
    system.stop()


@pytest.fixture
def surface(system: ActorSystem) -> Edge:
    return system.edge("surface")


@pytest.fixture
def run(folder: Path, system: ActorSystem, surface: Edge) -> Run:
    """Runs the script as bash does in the sandbox."""
    life, door = SchedulerState(), system.edge("door")
    config = SchedulerConfig(
        file=folder / "reminders.md",
        spare=folder / "spare",
        zone=load_zone(),
        channel=None,
        delivery=surface.address,
        waits=Waits(settle_s=0.001, verify_s=0.005),
    )
    system.register(
        ActorSpec("socket", lambda _key: SocketActor(SocketConfig(folder=folder / "doors", verbs=VERBS)), core=True)
    )
    system.register(ActorSpec("scheduler", lambda _key: SchedulerActor(config, life), core=True))
    system.start()
    system.tell(Address("socket"), OpenDoor(request_id=RequestId("r"), reply_to=door.address, window=WINDOW))
    opened = door.receive()
    assert isinstance(opened, DoorOpen)

    def start(*arguments: str, path: str = opened.path, text: str = "") -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            ["python3", "-I", str(SCRIPT), *arguments],
            env={"AGENT_SOCKET": path, "PATH": "/usr/bin:/bin:/usr/local/bin"},
            capture_output=True,
            input=text,
            text=True,
            timeout=PATIENCE_S,
            check=False,
        )

    return start


def lines(folder: Path) -> list[str]:
    return [entry.line for entry in scan((folder / "reminders.md").read_bytes()).entries]


@pytest.mark.req("S0-14", "S0-140", "S0-144", "X-28")
def test_a_reminders_life_from_creation_to_deletion_is_confirmed_line_by_line(
    run: Run, folder: Path, surface: Edge
) -> None:
    created = run("create", "--msg", 'say "hi" to Bob\'s cat', "--date", "2099-03-01", "--time", "09:00")
    assert created.returncode == 0, created.stderr
    (line,) = lines(folder)
    assert created.stdout.splitlines() == [f"created: {line}", "next: Sun 2099-03-01 09:00 GMT"]
    reminder_id = line.rpartition(" id=")[2].removesuffix(f" in={WINDOW.address.key}")
    changed = run("modify", reminder_id, "--time", "10:00", "--recur", "weekly")
    assert changed.stdout.splitlines()[0] == f"changed: {lines(folder)[0]}"
    assert run("modify", reminder_id, "--time", "10:00").stdout.startswith("unchanged: ")
    listed = run("list")
    assert listed.stdout.splitlines() == [lines(folder)[0], "    next: Sun 2099-03-01 10:00 GMT"]
    final = lines(folder)[0]
    assert run("delete", reminder_id).stdout == f"deleted: {final}\n"
    assert lines(folder) == []
    assert run("list").stdout == "There are no reminders.\n"
    posts = [post for post in surface.drain() if isinstance(post, PostMessage)]
    assert [post.text.split("\n")[0] for post in posts] == ["Reminder set:", "Reminder changed:", "Reminder deleted:"]
    assert [post.text.split("\n")[2] for post in posts] == [line, final, final]
    assert {(post.window, post.mention_user_id) for post in posts} == {(WINDOW, "")}


@pytest.mark.req("X-220")
def test_what_a_small_model_leaves_out_of_a_command_is_found_where_it_is_plain(run: Run, folder: Path) -> None:
    times = {"0930": "09:30", "9:05": "09:05", "1600": "16:00"}
    for number, (time_given, wanted) in enumerate(times.items()):
        created = run("create", "--msg", f"walk {number}", "--date", "2099-03-01", "--time", time_given)
        assert f" time={wanted} " in created.stdout, (time_given, created.stderr)
    for time_given in ("25", "99:99"):
        assert run("create", "--msg", "x", "--time", time_given).returncode == 1, time_given
    assert 'msg="stand-up"' in run("create", "--time", "09:30", text="stand-up\n").stdout
    assert 'msg="stand-up"' in run("delete", text="delete my reminder about the stand-up").stdout
    assert 'msg="walk 2"' in run("modify", "my reminder about walk 2", "--time", "1700").stdout
    assert " time=18:00 " in run("modify", "--msg", "move walk 2 to 18:00", "--time", "18:00").stdout
    missing = run("delete")
    assert missing.returncode == 2
    assert missing.stderr == f'error: the id is missing, as in: {SCRIPT} delete "call Bob"\n'
    assert "names 0 reminders" in run("delete", "my reminder").stderr
    assert len(lines(folder)) == len(times)


@pytest.mark.req("X-215")
def test_a_reminder_is_named_by_words_of_its_message_if_no_other_has_them(run: Run, folder: Path) -> None:
    for message in ("call Bob", "call Ann", "water the ferns"):
        assert run("create", "--msg", message, "--date", "2099-03-01", "--time", "09:00").returncode == 0
    assert 'msg="water the ferns"' in run("modify", "water FERNS", "--time", "10:00").stdout
    assert run("delete", "bob").returncode == 0
    before = lines(folder)
    assert [line.partition(" msg=")[2].partition(" id=")[0] for line in before] == ['"call Ann"', '"water the ferns"']
    run("create", "--msg", "call Eve", "--date", "2099-03-01", "--time", "09:00")
    before = lines(folder)
    for words, count in (("call", 2), ("the dentist", 0)):
        refused = run("delete", words)
        assert refused.returncode == 1
        assert f"{words!r} names {count} reminders, and must name one; nothing was changed" in refused.stderr
        assert "call Eve" in refused.stderr
    assert lines(folder) == before


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (("create", "--msg", "x", "--date", "2020-01-01", "--time", "09:00"), "has passed"),
        (("create", "--msg", "x\ny", "--time", "09:00"), "U+000A"),
        (("create", "--msg", "x", "--at", "2098-10-26T01:30+00:00"), "cannot be written down"),
        (("modify", "rid_X", "--msg", "y"), "no reminder has the id 'rid_X'"),
        (("delete", "rid_X"), "no reminder has the id 'rid_X'"),
    ],
)
def test_what_is_refused_says_why_and_changes_nothing(
    run: Run, folder: Path, surface: Edge, arguments: tuple[str, ...], why: str
) -> None:
    refused = run(*arguments)
    assert (refused.returncode, refused.stdout) == (1, "")
    assert why in refused.stderr
    assert not (folder / "reminders.md").exists()
    assert surface.drain() == []


def test_lines_that_need_mending_are_listed_on_request(run: Run, folder: Path) -> None:
    (folder / "reminders.md").write_text(
        f'- [ ] date=2026-02-30 time=09:00 recur=none msg="x" in={WINDOW.address.key}\n'
    )
    assert "1 lines need mending" in run("list").stderr
    assert "no reminder: date '2026-02-30'" in run("list", "--invalid").stdout


def test_wrong_usage_is_told_apart(subtests: pytest.Subtests, run: Run) -> None:
    cases: list[tuple[str, ...]] = [(), ("create",), ("create", "--msg", "x", "--recur", "yearly"), ("list", "-n", "0")]
    for arguments in cases:
        with subtests.test(arguments=arguments):
            assert run(*arguments).returncode == 2


def test_without_an_agent_it_says_so(run: Run) -> None:
    done = run("list", path="/nowhere")
    assert done.returncode == 3
    assert "cannot be reached" in done.stderr

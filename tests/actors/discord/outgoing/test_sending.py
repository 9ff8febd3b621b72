"""Files that the agent sends."""

from __future__ import annotations

import itertools
import os
import socket
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from actors.discord.outgoing.sending import MOST_WAITING, USUAL_SENT_BYTES
from domain.log.window_folders import attachments_folder
from domain.policy.memory_switch import MemorySwitch, MemorySwitches
from lab.playground.server import PlaygroundServer
from lab.playground.world import defaults
from messages.base import RequestId, Surface, Window
from messages.context import RuntimePosted
from messages.discord import AttachFile, FileAttached
from messages.socket import Refused
from tests.actors.discord.conftest import StartLife
from tests.actors.discord.life import GENERAL, Life, thread_window, timing
from tests.actors.discord.swapper import swapping
from tests.patience import PATIENCE_S, eventually

SEND = r"POST /channels/\d+/messages$"
SECRET = "correct-horse-battery"
PNG = b"\x89PNG\r\n\x1a\n" + bytes(100)


@pytest.fixture
def work(tmp_path: Path) -> Path:
    folder = tmp_path / "work" / GENERAL.surface.value / GENERAL.id
    folder.mkdir(parents=True)
    return folder


@pytest.fixture
def start(start_life: StartLife, tmp_path: Path) -> StartLife:
    def workdir_of(window: Window) -> Path:
        if window.surface is Surface.CLI:
            raise ValueError(f"surface {window.surface.value!r}: it has no directory of its own")
        return tmp_path / "work" / window.surface.value / window.id

    return lambda **options: start_life(**({"workdir_of": workdir_of, "data_root": tmp_path} | options))


@pytest.fixture
def life(start: StartLife) -> Life:
    return start()


@pytest.fixture
def ask() -> Callable[..., str]:
    """Asks a life to post a file; gives the request's id."""
    numbers = itertools.count(1)

    def ask_for_file(life: Life, path: str, window: Window = GENERAL, **fields: Any) -> str:
        fields = {"request_id": RequestId(f"f{next(numbers)}")} | fields
        life.tell(AttachFile(reply_to=life.edge.address, window=window, path=path, **fields))
        return str(fields["request_id"])

    return ask_for_file


Ask = Callable[..., str]


def refusal(life: Life, request: str) -> str:
    reply = life.outcome(request)
    assert isinstance(reply, Refused), reply
    return reply.reason


def files(life: Life, channel_id: int = defaults.GENERAL_ID) -> list[str]:
    """Names of the files that the bot's messages show."""
    return [
        file["filename"] for message in life.playground.messages(channel_id) for file in message.get("attachments", ())
    ]


@pytest.mark.req("X-251")
def test_where_memory_is_off_the_window_is_told_so_with_a_file(start: StartLife, work: Path, ask: Ask) -> None:
    off = MemorySwitch(place=GENERAL.id, number=1, is_off=True, by="operator")
    life = start(switches=MemorySwitches((off,)))
    (work / "june.csv").write_bytes(b"a,b\n")
    assert isinstance(life.outcome(ask(life, "june.csv", caption="words")), FileAttached)
    (posted,) = life.told.wait(1)
    assert posted.is_off_record


@pytest.mark.req("X-251")
def test_the_same_holds_in_a_thread_that_this_life_never_met(
    playground: PlaygroundServer, start: StartLife, tmp_path: Path, ask: Ask
) -> None:
    """A turn begun on the record goes on after a kill, before Discord has named any threads."""
    off = MemorySwitch(place=GENERAL.id, number=1, is_off=True, by="operator")
    window = thread_window(playground.create_thread(defaults.GENERAL_ID, "of an earlier life"))
    folder = tmp_path / "work" / window.surface.value / window.id
    folder.mkdir(parents=True)
    (folder / "june.csv").write_bytes(b"a,b\n")
    with socket.create_server(("127.0.0.1", 0)) as mute:
        gateway_url = f"ws://127.0.0.1:{mute.getsockname()[1]}"
        life = start(switches=MemorySwitches((off,)), gateway_url=gateway_url, wait=False)
        assert isinstance(life.outcome(ask(life, "june.csv", window, caption="words")), FileAttached)
    (posted,) = life.told.wait(1)
    assert posted.is_off_record


def test_a_file_is_posted_with_its_caption_and_pings_nobody(life: Life, work: Path, ask: Ask) -> None:
    (work / "plots").mkdir()
    (work / "plots" / "june.csv").write_bytes(b"a,b\n")
    reply = life.outcome(ask(life, "plots/june.csv", caption="@everyone https://example.org"))
    (message,) = life.playground.messages(defaults.GENERAL_ID)
    assert reply == FileAttached(
        request_id=RequestId("f1"), message_id=message["id"], filename="june.csv", size_bytes=4
    )
    assert message["content"] == "@everyone https://example.org"
    assert life.told.wait(1) == [
        RuntimePosted(
            window=GENERAL,
            by="discord",
            text="@everyone https://example.org",
            message_ids=(message["id"],),
            file="june.csv",
        )
    ], "for the window's log"
    (record,) = life.playground.requests("POST", "/messages")
    assert record.payload["allowed_mentions"] == {"parse": [], "replied_user": False}
    assert (record.payload["flags"], record.payload["enforce_nonce"]) == (4, True)
    file_id = int(message["attachments"][0]["id"])
    assert life.playground.run(lambda: life.playground.hub.files.get(file_id)) == b"a,b\n"


def test_a_thread_gets_its_own_files(life: Life, work: Path, ask: Ask) -> None:
    thread = thread_window(life.playground.create_thread(defaults.GENERAL_ID, "here"))
    own = work.parent.parent / thread.surface.value / thread.id
    own.mkdir(parents=True)
    (own / "mine.txt").write_bytes(b"1")
    (work / "theirs.txt").write_bytes(b"2")
    assert isinstance(life.outcome(ask(life, "mine.txt", thread)), FileAttached)
    assert "there is no such file" in refusal(life, ask(life, "theirs.txt", thread))
    assert (files(life), files(life, int(thread.id))) == ([], ["mine.txt"])


def test_direct_messages_get_their_own_files_both_ways(start: StartLife, tmp_path: Path, ask: Ask) -> None:
    life = start(dms=True)
    channel = life.playground.open_dm()
    direct = Window(surface=Surface.DISCORD_DM, id=str(channel))
    said = life.say("", channel, attachments=[("a.txt", b"12345")])
    (message,) = life.messages.wait(1)
    assert message.window == direct
    path = f"attachments/{said}/a.txt"
    assert (tmp_path / attachments_folder(direct) / str(said) / "a.txt").read_bytes() == b"12345"
    assert isinstance(life.outcome(ask(life, path, direct)), FileAttached)
    assert files(life, channel) == ["a.txt", "a.txt"]
    assert files(life) == []


def test_nothing_else_than_a_plain_file_of_the_folder_is_posted(
    start: StartLife, work: Path, tmp_path: Path, ask: Ask
) -> None:
    precious = tmp_path / "precious"
    precious.write_bytes(b"precious")
    (work / "link").symlink_to(precious)
    (work / "folder-link").symlink_to(tmp_path)
    (work / "twin").hardlink_to(precious)
    os.mkfifo(work / "fifo")
    with socket.socket(socket.AF_UNIX) as door:
        door.bind(str(work / "socket")) if len(str(work)) < 90 else os.mkfifo(work / "socket")
    with (work / "big").open("wb") as big:
        big.truncate(USUAL_SENT_BYTES + 1)
    (work / "empty").touch()
    (work / "secret").write_bytes(b"\x89PNG" + SECRET.encode())
    (work / "disguised").write_bytes(SECRET.encode().hex().encode())
    (work / f"{SECRET}.txt").write_bytes(b"1")
    (work / "across").write_bytes(b"x" * 65_530 + SECRET.encode())
    life = start(secrets=[SECRET])
    failures = []
    for path, rule in (
        ("link", "no part of it may be a link"),
        ("folder-link/precious", "no part of it may be a link"),
        ("../../../precious", "it must stay below the folder"),
        ("/etc/passwd", "it must stay below the folder"),
        ("/proc/self/environ", "it must stay below the folder"),
        ("fifo", "it must be a regular file"),
        ("socket", "it must be a regular file"),
        ("twin", "it has 2 names, exactly 1 is required"),
        (".", "it must be a regular file"),
        ("missing", "there is no such file"),
        ("big", "it has 10485761 bytes, at most 10485760 are allowed"),
        ("empty", "it is empty"),
        ("", "it must not be empty"),
        ("a\0b", "it must not be empty or hold a NUL"),
        ("x" * 5000, "it is too long"),
        ("secret", "it holds a secret of the agent's own"),
        ("disguised", "it holds a secret of the agent's own"),
        (f"{SECRET}.txt", "it holds a secret of the agent's own"),
        ("across", "it holds a secret of the agent's own"),
    ):
        reason = refusal(life, ask(life, path))
        if rule not in reason or life.playground.messages(defaults.GENERAL_ID):
            failures.append((path, rule, reason))
    assert not failures


@pytest.mark.parametrize("fault", ["503", "abort-before", "abort-after", "429-user"])
def test_trouble_on_the_way_neither_loses_nor_doubles(life: Life, work: Path, ask: Ask, fault: str) -> None:
    (work / "a.txt").write_bytes(b"12345")
    life.playground.inject(fault, SEND, times=2, retry_after_s=0.05)
    assert isinstance(life.outcome(ask(life, "a.txt")), FileAttached)
    assert files(life) == ["a.txt"]


def test_the_same_request_again_posts_nothing_more(life: Life, work: Path, ask: Ask) -> None:
    (work / "a.txt").write_bytes(b"12345")
    life.playground.inject("delay", SEND, delay_s=0.2)
    request = ask(life, "a.txt")
    ask(life, "a.txt", request_id=RequestId(request))
    first = life.outcome(request)
    assert isinstance(first, FileAttached)
    assert life.outcome(ask(life, "a.txt", request_id=RequestId(request))) == first
    assert files(life) == ["a.txt"]


def test_a_caption_that_is_too_long_is_refused(life: Life, work: Path, ask: Ask) -> None:
    (work / "a.txt").write_bytes(b"12345")
    reason = refusal(life, ask(life, "a.txt", caption="x" * 2001))
    assert reason == "caption of 2001 characters: at most 2000 are allowed"


@pytest.mark.req("X-266")
def test_pictures_are_one_message_with_their_descriptions(life: Life, work: Path, ask: Ask) -> None:
    (work / "june.png").write_bytes(PNG)
    (work / "july.gif").write_bytes(b"GIF89a" + bytes(9))
    (work / "data.csv").write_bytes(b"a,b\n")

    reply = life.outcome(
        ask(life, "june.png", further=("july.gif", "data.csv"), descriptions=("June: 12", "July: 15"), caption="Sales")
    )

    assert isinstance(reply, FileAttached), reply
    assert (reply.filename, reply.size_bytes) == ("june.png, july.gif, data.csv", len(PNG) + 19)
    (message,) = life.playground.messages(defaults.GENERAL_ID)
    assert message["content"] == "Sales"
    assert [(file["filename"], file["content_type"], file.get("description")) for file in message["attachments"]] == [
        ("june.png", "image/png", "June: 12"),
        ("july.gif", "image/gif", "July: 15"),
        ("data.csv", "text/csv", None),
    ]
    (posted,) = life.told.wait(1)
    assert isinstance(posted, RuntimePosted)
    assert posted.file == "june.png, july.gif, data.csv"


@pytest.mark.req("X-266")
@pytest.mark.parametrize(("name", "shown"), [("plot", "plot.png"), ("plot.jpg", "plot.png"), ("a.PNG", "a.PNG")])
def test_a_picture_has_the_ending_of_its_content(life: Life, work: Path, ask: Ask, name: str, shown: str) -> None:
    """After openclaw/openclaw#41256: a picture of an unknown type is not shown."""
    (work / name).write_bytes(PNG)
    life.outcome(ask(life, name))
    assert files(life) == [shown]


def test_what_is_called_a_picture_and_is_none_is_refused(life: Life, work: Path, ask: Ask) -> None:
    (work / "page.png").write_bytes(b"<html>not found</html>")
    reason = "file 'page.png': it is called a picture, and is none that Discord shows (PNG, JPEG, GIF, WebP)"
    assert refusal(life, ask(life, "page.png")) == reason
    assert files(life) == []


def test_a_spoiler_is_hidden_by_its_name(life: Life, work: Path, ask: Ask) -> None:
    (work / "ending.png").write_bytes(PNG)
    (work / "SPOILER_b.txt").write_bytes(b"x")
    life.outcome(ask(life, "ending.png", further=("SPOILER_b.txt",), is_spoiler=True))
    life.outcome(ask(life, "SPOILER_b.txt"))
    assert files(life) == ["SPOILER_ending.png", "SPOILER_b.txt", "SPOILER_b.txt"]


def test_one_file_that_cannot_be_posted_keeps_all_back(life: Life, work: Path, ask: Ask) -> None:
    """After openclaw/openclaw#53641: a message was posted without its file, and called a success."""
    (work / "a.png").write_bytes(PNG)
    assert refusal(life, ask(life, "a.png", further=("gone.png",))) == "file 'gone.png': there is no such file"
    assert life.playground.messages(defaults.GENERAL_ID) == []


def test_the_boosts_of_a_server_say_how_large_files_may_be(life: Life, work: Path, ask: Ask) -> None:
    for name in ("a.bin", "b.bin"):
        with (work / name).open("wb") as file:
            file.truncate(6 << 20)
    together = "the files have more than 10 MiB together: send them in several messages"
    assert refusal(life, ask(life, "a.bin", further=("b.bin",))) == together
    assert life.playground.requests("POST", "/messages") == []

    guild = {"id": str(defaults.GUILD_ID), "name": "boosted", "premium_tier": 2, "roles": [], "emojis": []}
    life.playground.dispatch("GUILD_UPDATE", guild)
    life.playground.say(defaults.GENERAL_ID, "after it")
    life.messages.wait(1)
    reply = life.outcome(ask(life, "a.bin", further=("b.bin",)))

    assert isinstance(reply, FileAttached), reply
    assert reply.size_bytes == 12 << 20


def test_a_description_shows_no_secret(start: StartLife, work: Path, ask: Ask) -> None:
    life = start(secrets=[SECRET])
    (work / "a.png").write_bytes(PNG)
    life.outcome(ask(life, "a.png", descriptions=(f"it says {SECRET}",)))
    (message,) = life.playground.messages(defaults.GENERAL_ID)
    assert message["attachments"][0]["description"] == "it says [secret removed]"


def test_a_caption_shows_no_secret_and_hides_nothing(start: StartLife, work: Path, ask: Ask) -> None:
    life = start(secrets=[SECRET])
    (work / "a.txt").write_bytes(b"12345")
    life.outcome(ask(life, "a.txt", caption=f"{SECRET} \u202e"))
    assert life.shown() == ["[secret removed] \\u202e"]


def test_a_hostile_name_is_shown_as_a_plain_one(life: Life, work: Path, ask: Ask) -> None:
    (work / "-a\n\u202eb c.txt").write_bytes(b"1")
    life.outcome(ask(life, "-a\n\u202eb c.txt"))
    assert files(life) == ["a__b_c.txt"]


def test_a_channel_that_is_gone_and_a_window_without_a_folder_are_refused(life: Life, work: Path, ask: Ask) -> None:
    gone = Window(surface=Surface.DISCORD_CHANNEL, id="123")
    folder = work.parent / "123"
    folder.mkdir()
    (folder / "a.txt").write_bytes(b"1")
    assert "404" in refusal(life, ask(life, "a.txt", gone))
    assert "must be a Discord channel" in refusal(life, ask(life, "a.txt", Window(surface=Surface.CLI, id="operator")))
    assert "no directory" in refusal(life, ask(life, "a.txt", Window(surface=Surface.CLI, id="1")))


def test_posting_that_takes_too_long_is_given_up_and_said(start: StartLife, work: Path, ask: Ask) -> None:
    life = start(timing=timing(send_timeout_s=0.3))
    (work / "a.txt").write_bytes(b"1")
    life.playground.inject("delay", SEND, delay_s=2.0)
    assert "it may still have been" in refusal(life, ask(life, "a.txt"))


def test_a_drain_waits_for_a_file_and_the_end_says_what_is_not_known(life: Life, work: Path, ask: Ask) -> None:
    (work / "a.txt").write_bytes(b"1")
    life.playground.inject("delay", SEND, delay_s=0.3)
    request = ask(life, "a.txt")
    assert life.system.drain(PATIENCE_S).quiet
    assert isinstance(life.outcome(request, 0.1), FileAttached)
    life.playground.inject("503", SEND, times=100)
    cut_off = ask(life, "a.txt")
    eventually(lambda: len(life.playground.requests("POST", "/messages")) > 1)
    life.stop()
    assert "not known" in refusal(life, cut_off)


def test_attachments_are_posted_from_where_they_are_and_not_from_where_a_command_could_put_them(
    life: Life, work: Path, tmp_path: Path, ask: Ask
) -> None:
    own = tmp_path / attachments_folder(GENERAL)
    for place, data in ((own, b"own"), (work / "attachments", b"planted")):
        place.mkdir(parents=True)
        (place / "a.txt").write_bytes(data)
    (own / "link").symlink_to(work / "attachments" / "a.txt")
    for path in ("attachments/a.txt", "./x/../attachments/a.txt"):
        reply = life.outcome(ask(life, path))
        assert isinstance(reply, FileAttached)
        assert reply.size_bytes == len(b"own")
    assert "there is no such file" in refusal(life, ask(life, "attachments/missing"))
    assert "no part of it may be a link" in refusal(life, ask(life, "attachments/link"))
    assert "it must stay below the folder" in refusal(life, ask(life, f"attachments/../../{GENERAL.id}/a.txt"))


def test_a_window_without_attachments_has_none_to_post(life: Life, ask: Ask) -> None:
    assert "there is no such file" in refusal(life, ask(life, "attachments/1/a.txt"))


@pytest.mark.parametrize("trap", ["fifo", "link", "folder"])
def test_a_name_that_is_swapped_gives_the_file_or_a_refusal_and_nobody_waits(
    life: Life, work: Path, tmp_path: Path, ask: Ask, trap: str
) -> None:
    precious = tmp_path / "precious"
    precious.write_bytes(b"precious!")
    (work / "a.txt").write_bytes(b"12345")
    {"fifo": os.mkfifo, "link": lambda path: path.symlink_to(precious), "folder": Path.mkdir}[trap](work / "a.txt.trap")
    with swapping(work, "a.txt"):
        replies = [life.outcome(ask(life, "a.txt")) for _ in range(30)]
    assert {reply.size_bytes for reply in replies if isinstance(reply, FileAttached)} <= {5}
    rules = ("it must be a regular file", "no part of it may be a link")
    assert all(reply.reason.endswith(rules) for reply in replies if isinstance(reply, Refused))


def test_a_file_that_hangs_holds_up_the_files_of_one_window(start: StartLife, tmp_path: Path, ask: Ask) -> None:
    over = threading.Event()

    def workdir_of(window: Window) -> Path:
        if window == GENERAL:
            over.wait()
        return tmp_path / window.id

    life = start(timing=timing(disk_timeout_s=0.5), workdir_of=workdir_of)
    thread = thread_window(life.playground.create_thread(defaults.GENERAL_ID, "bystander"))
    (tmp_path / thread.id).mkdir()
    (tmp_path / thread.id / "a.txt").write_bytes(b"1")
    try:
        hung, second = ask(life, "a.txt"), ask(life, "b.txt")
        assert "cannot be read: it took longer than 0.5 s" in refusal(life, hung)
        assert "cannot be read: an earlier call still hangs" in refusal(life, second)
        assert isinstance(life.outcome(ask(life, "a.txt", thread)), FileAttached)
        life.say("hello")
        assert life.texts(1) == ["hello"]
    finally:
        over.set()


def test_of_a_windows_files_only_so_many_wait_and_they_come_in_order(life: Life, work: Path, ask: Ask) -> None:
    names = [f"{number}.txt" for number in range(MOST_WAITING)]
    for name in names:
        (work / name).write_bytes(b"12345")
    life.playground.inject("delay", SEND, delay_s=0.5)
    requests = [ask(life, name) for name in names]
    assert "16 files of this conversation wait already" in refusal(life, ask(life, names[0]))
    assert all(isinstance(life.outcome(request), FileAttached) for request in requests)
    assert files(life) == names
    assert isinstance(life.outcome(ask(life, names[0])), FileAttached)


def test_a_file_is_read_only_when_its_turn_has_come(start: StartLife, work: Path, ask: Ask) -> None:
    read = list[Window]()

    def workdir_of(window: Window) -> Path:
        read.append(window)
        return work

    life = start(workdir_of=workdir_of, timing=timing(attempts=100_000))
    (work / "a.txt").write_bytes(b"12345")
    life.playground.inject("503", SEND, times=100_000)
    for _ in range(3):
        ask(life, "a.txt")
    eventually(lambda: len(life.playground.requests("POST", "/messages")) > 1)
    assert read == [GENERAL]


def test_without_working_directories_nothing_is_posted(start: StartLife, ask: Ask) -> None:
    life = start(workdir_of=None)
    assert "no working directories" in refusal(life, ask(life, "a.txt"))

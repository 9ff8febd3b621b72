"""Exports beside a running agent: what was said where memory was off stays out, and what was taken back is told again."""

from __future__ import annotations

import errno
from pathlib import Path
from typing import Any

import pytest

from actors.importer.export_file import Export
from actors.importer.off_record import off_record_of
from domain.log.parser import parse
from domain.policy.channel_rules import ChannelRule, ChannelRules
from domain.policy.memory_switch import FILE_NAME, MemorySwitch, MemorySwitches, write_switches
from messages.base import Message, RequestId, Surface, Window
from messages.past import ExportImported, ImportExport
from messages.socket import Refused
from tests.actors.importer.test_export_file import FIRST, export, message, write
from tests.actors.importer.world import OPERATOR, PastDiscord, World

THREAD, CATEGORY = FIRST + 500, "700000000000000000"


def import_files(world: World, *files: Path) -> Message:
    """Import files; the importer's answer."""
    names = tuple(map(str, files))
    request = ImportExport(request_id=RequestId("e"), reply_to=world.asker.address, window=OPERATOR, files=names)
    world.tell(request)
    world.pass_time(2)
    (reply,) = world.asker.drain()
    return reply


def export_of(channel: int, kind: str, parent: int, *messages: dict[str, Any]) -> dict[str, Any]:
    """Export of a channel or thread below another."""
    return export(*messages, channel={"id": str(channel), "type": kind, "categoryId": str(parent), "category": "up"})


def switch_off(root: Path, place: int, since: int, until: int) -> None:
    """Note that memory was off in a place between two messages."""
    switches = (
        MemorySwitch(place=str(place), number=FIRST + since, is_off=True, by="17"),
        MemorySwitch(place=str(place), number=FIRST + until, is_off=False, by="17"),
    )
    (root / FILE_NAME).write_bytes(write_switches(MemorySwitches(switches)))


@pytest.mark.req("X-251", "X-256")
def test_messages_sent_while_memory_was_off_are_left_out_of_a_channel_and_its_threads(tmp_path: Path) -> None:
    switch_off(tmp_path, FIRST, 2, 4)
    messages = [message(number, f"word {number}") for number in range(1, 6)]
    channel = write(tmp_path / "channel.json", export_of(FIRST, "GuildTextChat", 7, *messages))
    thread = write(tmp_path / "thread.json", export_of(THREAD, "GuildPublicThread", FIRST, message(3), message(9)))
    world = World(tmp_path, PastDiscord())

    told = import_files(world, channel, thread)

    assert isinstance(told, ExportImported)
    assert (told.messages, told.kept) == (7, 4)
    assert sorted(world.count_kept()) == [FIRST + number for number in (1, 2, 5, 9)]


def test_an_export_whose_messages_are_all_left_out_is_imported_without_a_log(tmp_path: Path) -> None:
    switch_off(tmp_path, FIRST, 0, 9)
    world = World(tmp_path, PastDiscord())
    told = import_files(world, write(tmp_path / "channel.json", export(message(3))))
    assert isinstance(told, ExportImported)
    assert (told.messages, told.kept, world.logs()) == (1, 0, set())


@pytest.mark.req("X-251")
def test_a_table_of_the_category_holds_in_threads_whose_channel_is_among_the_exports(tmp_path: Path) -> None:
    channel, thread, other = (
        Export(tmp_path, Window(surface=surface, id=str(number)), parent, 0.0, 1)
        for surface, number, parent in (
            (Surface.DISCORD_CHANNEL, FIRST, CATEGORY),
            (Surface.DISCORD_THREAD, THREAD, str(FIRST)),
            (Surface.DISCORD_CHANNEL, FIRST + 1, ""),
        )
    )
    rules = ChannelRules({CATEGORY: ChannelRule(memory="off")})
    is_off = off_record_of((channel, thread, other), {}, tmp_path, rules)
    assert [is_off[each.window](FIRST) for each in (channel, thread, other)] == [True, True, False]


@pytest.mark.req("X-251")
def test_memory_off_in_a_category_holds_in_threads_of_a_forum_which_has_no_export(tmp_path: Path) -> None:
    """The exporter refuses forums and exports their threads alone: only Discord knows the category."""
    switch_off(tmp_path, int(CATEGORY), 2, 4)
    discord = PastDiscord()
    discord.categories = {str(FIRST): CATEGORY}
    world = World(tmp_path, discord)
    messages = [message(number) for number in range(1, 6)]
    import_files(world, write(tmp_path / "thread.json", export_of(THREAD, "GuildPublicThread", FIRST, *messages)))
    assert sorted(world.count_kept()) == [FIRST + number for number in (1, 2, 5)]


@pytest.mark.req("X-255")
def test_the_surface_is_asked_for_what_was_deleted_or_edited_since_the_export(tmp_path: Path) -> None:
    discord = PastDiscord()
    world = World(tmp_path, discord)
    for _ in range(2):  # a second import keeps nothing new, and the message may have been deleted in between
        import_files(world, write(tmp_path / "channel.json", export(message(1), message(2, ""), message(3))))
    assert discord.settled == 2 * [str(FIRST + 1), str(FIRST + 3)]


@pytest.mark.req("X-256")
def test_of_a_message_in_several_exports_the_latest_words_are_kept(tmp_path: Path) -> None:
    """A channel is exported again and again, and a message may have been edited in between."""
    times = ("2026-01-01T00:00:00+00:00", None, "2026-02-01T00:00:00+14:00", "2026-01-31T23:00:00-01:00")
    files = [
        write(tmp_path / f"{place}.json", export(message(1, f"words {place}"), exportedAt=moment))
        for place, moment in enumerate(times)
    ]
    world = World(tmp_path, PastDiscord())
    told = import_files(world, *files)
    assert isinstance(told, ExportImported)
    assert told.kept == 1
    logs = [parse(path.read_bytes()) for path in tmp_path.glob("logs/*/*/imported-*.md")]
    assert [logged.event.content for log in logs for logged in log.events] == ["words 3"]


@pytest.mark.req("X-256")
def test_an_import_of_exports_on_a_full_disk_is_refused_and_can_be_repeated(tmp_path: Path) -> None:
    file = write(tmp_path / "channel.json", export_of(FIRST, "GuildTextChat", 7, message(1, "word")))
    world = World(tmp_path, PastDiscord())

    def refuse(call: str, data: bytes) -> None:
        if call == "write" and data.startswith(b'{"window"'):
            raise OSError(errno.ENOSPC, "no space left")

    world.disk.before = refuse
    refused = import_files(world, file)
    assert isinstance(refused, Refused)
    assert "no space left; import the files again" in refused.reason
    world.disk.before = lambda _call, _data: None
    assert isinstance(import_files(world, file), ExportImported)
    assert list(world.count_kept().values()) == [1]
    world.system.stop(1.0)

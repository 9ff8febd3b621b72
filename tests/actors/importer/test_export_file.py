"""Exports are read in pieces, and an unsound one takes nothing in: the error names file, place and rule."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from actors.importer.export_file import ExportFault, check_export, read_batches
from domain.turn.discord.said import words_of
from messages.base import Surface, Window

FIRST = 900_000_000_000_000_000


def keep_all(_number: int) -> bool:
    return False


def message(number: int, content: str = "hello", **other: Any) -> dict[str, Any]:
    """Message in DiscordChatExporter's form."""
    return {
        "id": str(FIRST + number),
        "type": "Default",
        "timestamp": "2025-04-01T12:00:00.1234567+02:00",
        "timestampEdited": None,
        "isPinned": False,
        "content": content,
        "author": {"id": "7", "name": "alice", "nickname": "Alice", "isBot": False, "roles": []},
        "attachments": [],
        "embeds": [],
        "stickers": [],
        "reactions": [],
        "mentions": [],
        **other,
    }


def export(*messages: dict[str, Any], kind: str = "GuildTextChat", **other: Any) -> dict[str, Any]:
    """A whole export."""
    return {
        "guild": {"id": "1", "name": 'A "messages": [ server'},
        "channel": {"id": str(FIRST), "type": kind, "categoryId": None, "category": None, "name": "general"},
        "dateRange": {"after": None, "before": None},
        "exportedAt": "2026-11-29T00:00:00+00:00",
        "messages": list(messages),
        "messageCount": len(messages),
        **other,
    }


def write(path: Path, value: object) -> Path:
    path.write_text(json.dumps(value, indent=2, ensure_ascii=False), encoding="utf-8")
    return path


def texts(path: Path) -> list[str]:
    return [each.text for batch in read_batches(check_export(path), 2, keep_all) for each in batch]


@pytest.mark.req("X-256")
def test_messages_are_read_with_all_their_parts(tmp_path: Path) -> None:
    file = write(
        tmp_path / "general.json",
        export(
            message(1),
            message(2, type="GuildMemberJoin", content="Joined the server."),
            message(3, "", attachments=[{"id": "1", "url": "u", "fileName": "a.pdf", "fileSizeBytes": 2048}]),
            message(4, "see\nthis", embeds=[{"title": "News", "description": "two\nlines", "fields": []}]),
            message(5, ""),
            message(6, "yes", type="Reply", reference={"messageId": str(FIRST + 1), "channelId": None}),
            message(7, '\u2028 odd \\ "quoted" ] } text'),
        ),
    )
    checked = check_export(file)
    assert (checked.window.surface, checked.window.id, checked.messages) == (Surface.DISCORD_CHANNEL, str(FIRST), 7)
    assert texts(file) == [
        "hello",
        "[attachment: a.pdf, 2,048 bytes]",
        "see\nthis\n\n[embed:]\n> News\n> two\n> lines",
        "yes",
        '\u2028 odd \\ "quoted" ] } text',
    ]
    (*_, reply, _) = (each for batch in read_batches(checked, 100, keep_all) for each in batch)
    assert (reply.author_name, reply.reply_to_message_id) == ("Alice", str(FIRST + 1))
    assert reply.sent_at.isoformat() == "2025-04-01T12:00:00.123457+02:00"


@pytest.mark.req("X-256")
def test_parts_are_told_as_those_of_a_message_that_is_heard(tmp_path: Path) -> None:
    file = {"id": "1", "url": "u", "fileName": "a] [b.pdf", "fileSizeBytes": 2048}
    wire_file = {"id": "1", "filename": "a] [b.pdf", "size": 2048}
    embed = {
        "title": "News",
        "description": "[embed:]",
        "author": {"name": "octocat", "url": None},
        "footer": {"text": "3 days ago"},
        "fields": [{"name": "from", "value": "Anne"}],
    }
    stickers = [{"id": "2", "name": "wave", "format": "Png"}]
    forwarded = {
        "timestamp": "2025-03-01T09:30:00.5+02:00",
        "content": "said there",
        "attachments": [file],
        "embeds": [embed],
        "stickers": stickers,
    }
    snapshot = {
        "timestamp": "2025-03-01T07:30:00.500000+00:00",
        "content": "said there",
        "attachments": [wire_file],
        "embeds": [embed],
        "sticker_items": stickers,
    }
    wire = {
        "content": "typed",
        "attachments": [wire_file],
        "embeds": [embed],
        "sticker_items": stickers,
        "message_reference": {"type": 1},
        "message_snapshots": [{"message": snapshot}],
    }
    said = message(1, "typed", attachments=[file], embeds=[embed], stickers=stickers, forwardedMessage=forwarded)

    (text,) = texts(write(tmp_path / "general.json", export(said)))

    assert text == words_of(wire, lambda _kind, _number: "").all
    assert text.count("[attachment: a) (b.pdf, 2,048 bytes]") == 2
    assert text.count("octocat") == text.count("3 days ago") == text.count("[sticker: wave]") == 2
    assert "of 2025-03-01 07:30 UTC" in text


@pytest.mark.req("X-256")
@pytest.mark.parametrize("moment", [None, "0001-01-01T00:00:00+02:00", "9999-12-31T23:59:59-02:00"])
def test_a_forward_from_an_unknown_time_is_told_without_one(tmp_path: Path, moment: str | None) -> None:
    said = message(1, "", forwardedMessage={"timestamp": moment, "content": "said there"})
    assert texts(write(tmp_path / "general.json", export(said))) == ["[forwarded message:]\n> said there"]


@pytest.mark.req("X-256")
def test_mentions_that_the_exporter_left_as_ids_have_their_names(tmp_path: Path) -> None:
    """The exporter's `--markdown false`: ids stay in the text, and the people are in `mentions`."""
    bob, eve = ({"id": "8", "name": "bob", "nickname": "Bob (he)"}, {"id": "9", "name": "eve"})
    said = message(1, "<@8> and <@!9>, see <#5> and <@7>", mentions=[bob, eve])
    file = write(tmp_path / "general.json", export(said))
    (batch,) = read_batches(check_export(file), 2, keep_all)
    assert [each.text for each in batch] == ["<@8> (Bob he) and <@!9> (eve), see <#5> and <@7>"]
    assert batch[0].typed_chars == len(batch[0].text)


@pytest.mark.req("X-256")
def test_kinds_without_a_name_are_judged_as_those_of_messages_that_are_heard(tmp_path: Path) -> None:
    """The exporter writes the number of a kind that it does not know, and of a poll's end only fields."""
    fields = {"poll_question_text": "Lunch?", "victor_answer_text": "Pizza", "victor_answer_votes": "3"}
    result = {"title": "", "fields": [{"name": key, "value": value} for key, value in fields.items()]}
    file = write(
        tmp_path / "general.json",
        export(
            message(1, "", type="46", embeds=[result], reference={"messageId": str(FIRST), "channelId": None}),
            message(2, "an answer to a command", type="20"),
            message(3, "", type="21"),
            message(4, "boosted", type="8"),
            message(5, "yes", type="19", reference={"messageId": str(FIRST + 1)}),
            message(6, "new", type="99"),
            message(7, "", type="99"),
            message(8, "plain", type="0"),
        ),
    )
    (batch,) = read_batches(check_export(file), 100, keep_all)
    assert [each.text for each in batch] == [
        "[poll that is over: Lunch?]\n> most votes: Pizza, 3 of 0 votes",
        "yes",
        "new\n\n[message of an unknown kind: 99]",
        "plain",
    ]
    assert [each.reply_to_message_id for each in batch] == ["", str(FIRST + 1), "", ""]


@pytest.mark.req("X-256")
@pytest.mark.parametrize(
    ("kind", "surface"),
    [
        ("GuildVoiceChat", Surface.DISCORD_CHANNEL),
        ("GuildPrivateThread", Surface.DISCORD_THREAD),
        ("DirectTextChat", Surface.DISCORD_DM),
        ("DirectGroupTextChat", Surface.DISCORD_DM),
        ("13", Surface.DISCORD_CHANNEL),
        ("11", Surface.DISCORD_THREAD),
    ],
)
def test_channels_of_all_kinds_with_messages_are_read(tmp_path: Path, kind: str, surface: Surface) -> None:
    """An exporter older than threads writes the number of their kind, and null for a name that it does not know."""
    channel = {"id": str(FIRST), "type": kind, "categoryId": None, "name": None}
    file = write(tmp_path / "general.json", export(message(1), channel=channel))
    assert check_export(file).window == Window(surface=surface, id=str(FIRST))


def test_a_file_of_many_pieces_is_read_as_one(tmp_path: Path) -> None:
    long = [f"{number} " + 'word "quoted" ]}, ' * (20_000) for number in range(12)]
    file = write(tmp_path / "long.json", export(*(message(number, text) for number, text in enumerate(long))))
    assert file.stat().st_size > 3 << 20
    assert texts(file) == long


@pytest.mark.parametrize(
    ("value", "place"),
    [
        ({"messages": []}, "the beginning: Object missing required field `channel`"),
        (export(kind="GuildForum"), "the beginning: channel.type 'GuildForum': must be one of"),
        (export(message(1), {**message(2), "id": 5}), "messages[1]: Expected `str`, got `int` - at `$.id`"),
        (export({**message(1), "author": None}), "messages[0]: Expected `object`, got `null` - at `$.author`"),
        (export(message(1, type="Shout")), "messages[0]: type 'Shout': must be one of"),
        (export(message(1, timestamp="2025-04-01T12:00:00")), "messages[0]: timestamp"),
        (
            export(message(1, timestamp="0001-01-01T00:00:00+14:00")),
            "messages[0]: timestamp '0001-01-01T00:00:00+14:00'",
        ),
        (export({**message(1), "id": f"{FIRST}\n"}), "messages[0]: Expected `str` matching regex"),
        (export({**message(1), "id": "0" * 18}), "messages[0]: Expected `str` matching regex"),
        (export(message(1), messageCount=9), "messageCount: must be 1, the number of messages, and is 9"),
        ([1, 2], 'the beginning: must have "messages": ['),
    ],
)
@pytest.mark.req("X-256")
def test_an_unsound_file_is_refused_with_its_place_and_rule(tmp_path: Path, value: object, place: str) -> None:
    file = write(tmp_path / "bad.json", value)
    with pytest.raises(ExportFault) as fault:
        check_export(file)
    assert str(fault.value).startswith(f"{file}: {place}")


@pytest.mark.parametrize("nonsense", ["[" * 200_000 + "]" * 200_000, "9" * 5_000], ids=["brackets", "digits"])
@pytest.mark.parametrize("mark", ["before", "inside", "behind"])
@pytest.mark.req("X-256")
def test_json_that_python_does_not_read_is_refused(tmp_path: Path, nonsense: str, mark: str) -> None:
    parts = {"before": 0, "behind": 0} | export(message(1, inside=0))
    whole = json.dumps({**parts, "behind": parts.pop("behind")})
    file = tmp_path / "hostile.json"
    file.write_text(whole.replace(f'"{mark}": 0', f'"{mark}": {nonsense}'))
    with pytest.raises(ExportFault, match="must be JSON that can be read"):
        check_export(file)


@pytest.mark.req("X-256")
def test_a_pipe_in_the_place_of_a_file_is_refused_at_once(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.json")
    with pytest.raises(ExportFault, match="not a regular file"):
        check_export(tmp_path / "pipe.json")


@pytest.mark.req("X-256")
def test_a_file_that_was_cut_anywhere_is_refused(tmp_path: Path) -> None:
    whole = json.dumps(export(message(1), message(2, "näher")), ensure_ascii=False).encode()
    file = tmp_path / "cut.json"
    for length in range(0, len(whole), 13):
        file.write_bytes(whole[:length])
        with pytest.raises(ExportFault):
            check_export(file)
    file.write_bytes(whole.replace("ä".encode(), b"\xe4"))
    with pytest.raises(ExportFault, match="must be UTF-8"):
        check_export(file)
    with pytest.raises(ExportFault, match="must be readable"):
        check_export(tmp_path / "none.json")

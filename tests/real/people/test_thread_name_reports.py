"""Public reports of threads with a wrong name, or none because of it; owner/repo#number each."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.text.mention import YOU, Mentioned, with_names
from domain.text.thread_name import MOST_CHARS, thread_name
from domain.turn.discord.said import titles_of
from tests.real.people.reports import embed, file, forward, poll

BOT, ANN, NIGHT, GENERAL, STAR = (f"91000000000000003{number}" for number in range(1, 6))
NAMES = {BOT: f"Bot{YOU}", ANN: "Ann", NIGHT: "Night shift", GENERAL: "general", STAR: "*Nina*"}
FAMILY = "\U0001f468\u200d\U0001f469\u200d\U0001f467"

CASES = [
    (
        "hermes-agent#6336: mentions of roles and channels",
        f"Hello <@&{NIGHT}> in <#{GENERAL}>",
        "Hello @Night shift in #general",
    ),
    ("paperclip#13590: the bot's own mention", f"<@{BOT}> check the weather", "check the weather"),
    ("discord-needle#347: ids in names", f"<@!{ANN}>, which one?", "@Ann, which one?"),
    ("an account that is gone", "ask <@910000000000000099>", "ask @unknown"),
    ("chainlit#1013: a mention alone", f"<@{BOT}>", "Ann asks"),
    ("LandOfTheRair#441: nothing that shows", "\u200b \u2800\n"[:2], "Ann asks"),
    ("UDC-Bot#120: several lines", "First line\n\nsecond\tline", "First line second line"),
    ("headings, quotations, lists", "## Plan\n> quoted\n- item\n1. one", "Plan quoted item one"),
    ("emphasis", "***both*** **bold** _it_ __under__ ~~gone~~", "both bold it under gone"),
    ("names of programs", "why is snake_case_name 1.5 slower?", "why is snake_case_name 1.5 slower?"),
    ("code keeps its signs", "`__init__` or ```py\na **= b\n```?", "__init__ or a **= b ?"),
    ("escapes", r"\*not bold\* and 2 \* 3", "*not bold* and 2 * 3"),
    ("a spoiler stays hidden", "the murderer is ||the butler||, right?", "the murderer is …, right?"),
    ("links", "[the docs](https://example.org/a) and <https://example.org>", "the docs and https://example.org"),
    ("emoji of a server", "nice <:party:910000000000000077> <a:spin:910000000000000078>", "nice :party: :spin:"),
    ("a time", "at <t:1700000000:R>", "at 2023-11-14 22:13 UTC"),
    ("a command", "try </status:910000000000000079>", "try /status"),
    ("a line that runs backwards", "\u202egnp.exe", "gnp.exe"),
    ("discord-bot#342 of aws-amplify, yesbot-ts#639: too long", "word " * 60, "word " * 19 + "word…"),
    ("one long word", "a" * 300, "a" * 99 + "…"),
    ("a family is not cut apart", FAMILY * 40, FAMILY * 12 + "…"),
]

PARTS = [
    ("moazbuilds/claudeclaw#193: a forward", forward(content="## Rent is due\non the ||3rd||"), "Rent is due on the …"),
    ("hermes-agent#25462: a mention and a forward", {"content": f"<@{BOT}>", **forward(content="late?")}, "late?"),
    (
        "discord.py#10204: a forward of a forward",
        forward(message_snapshots=[{"message": {"content": f"ask <@{ANN}>"}}]),
        "ask @Ann",
    ),
    (
        "HybridAIOne/hybridclaw#1521: a card",
        forward(**embed(title="Login fails", description="on it")),
        "Login fails on it",
    ),
    (
        "discord/discord-api-docs#6746: a poll",
        poll("Where do we eat?", "Soup"),
        "poll: Where do we eat? Soup open until 2026-12-24 18:00 UTC",
    ),
    ("openclaw#5535: a sticker", {"sticker_items": [{"id": "3", "name": "wave_hello"}]}, "sticker: wave_hello"),
    (
        "discord/discord-api-docs#6082: a voice message",
        {"flags": 1 << 13, "attachments": [file("voice-message.ogg", duration_secs=7.5)]},
        "voice message: 7.5 s of speech",
    ),
    ("a file alone", {"attachments": [file("a [1].pdf", title="Plan")]}, "attachment: a (1).pdf"),
    (
        "discord-php/DiscordPHP#1294: a spoiler of the second version",
        {
            "components": [
                {"type": 17, "spoiler": True, "components": [{"type": 10, "content": "the\nbutler"}]},
                {"type": 10, "content": "Who was it?"},
            ]
        },
        "… … Who was it?",
    ),
    ("a name with signs of markdown", {"content": f"is <@{STAR}> here?"}, "is @*Nina* here?"),
    ("nothing that is known", {"message_reference": {"type": 1}}, "Ann asks"),
]


def name_of(_kind: Mentioned, number: str) -> str:
    return NAMES.get(number, "")


def test_a_message_without_typed_words_is_named_from_all_that_it_says() -> None:
    failures = []
    for report, parts, expected in PARTS:
        titles = titles_of({"type": 0, "content": "", **parts}, name_of)
        if (name := thread_name(*titles, "Ann asks")) != expected:
            failures.append((report, name))
    assert not failures


def test_names_are_what_a_reader_sees() -> None:
    failures = [
        (report, name)
        for report, text, expected in CASES
        if (name := thread_name(with_names(text, name_of), "Ann asks")).rstrip("…") != expected.rstrip("…")
    ]
    assert not failures


@pytest.mark.req("X-210")
@given(st.text(max_size=400), st.text(max_size=120))
def test_every_name_is_one_that_discord_takes(text: str, otherwise: str) -> None:
    name = thread_name(text, otherwise)
    assert 1 <= len(name.encode("utf-16-le")) // 2 <= MOST_CHARS
    assert name == name.strip()
    assert name.isprintable() or "\u200d" in name

"""Messages that other programs lost, as Discord sends them, each with the public report and the words that must arrive."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

FORWARD = {"message_reference": {"type": 1, "channel_id": "4", "message_id": "5", "guild_id": "6"}}
AT: dict[str, Any] = {
    "timestamp": "2026-11-01T09:30:00+00:00",
    "edited_timestamp": None,
    "type": 0,
    "flags": 0,
    "mentions": [],
}


def forward(**message: Any) -> dict[str, Any]:
    """Fields of a message that forwards another message."""
    whole = {**AT, "content": "", "attachments": [], "embeds": [], "components": [], **message}
    return {**FORWARD, "message_snapshots": [{"message": whole}]}


def poll(question: str, *answers: str, **more: Any) -> dict[str, Any]:
    """Fields of a message with a poll."""
    listed = [{"answer_id": number, "poll_media": {"text": text}} for number, text in enumerate(answers, 1)]
    whole = {"question": {"text": question}, "answers": listed, "expiry": "2026-12-24T18:00:00+00:00", **more}
    return {"poll": {"allow_multiselect": False, "layout_type": 1, **whole}}


def embed(**fields: Any) -> dict[str, Any]:
    """Fields of a message with an embed."""
    return {"embeds": [{"type": "rich", **fields}]}


def file(name: str, **more: Any) -> dict[str, Any]:
    """A file of a message, at an address that is not Discord's."""
    url = f"https://cdn.example/{name}"
    return {"id": "9", "filename": name, "size": 3, "url": url, "proxy_url": url, **more}


@dataclass(frozen=True, slots=True)
class Report:
    """One message, and the words that a model must be told of it."""

    source: str
    """Reports, as owner/repository#number."""
    case: str
    """Sentence of our own on what was lost."""
    parts: dict[str, Any]
    words: tuple[str, ...]
    content: str = ""
    absent: tuple[str, ...] = field(default=())


REPORTS = (
    Report(
        "openclaw/openclaw#37983, NousResearch/hermes-agent#25462, Rapptz/discord.py#10204",
        "a forward has no content of its own",
        forward(content="The launch word is swordfish."),
        ("forwarded message of 2026-11-01 09:30 UTC", "> The launch word is swordfish."),
    ),
    Report(
        "moazbuilds/claudeclaw#193, nanocoai/nanoclaw#2922",
        "a forward with a remark of the person who forwards it",
        forward(content="Rent is due on the 3rd."),
        ("is this true?", "> Rent is due on the 3rd."),
        content="is this true?",
    ),
    Report(
        "HybridAIOne/hybridclaw#1521, discordjs/discord.js#10872",
        "a forwarded card has its words in an embed",
        forward(
            embeds=[{"title": "Feedback 8812", "description": "Login fails on Safari", "url": "https://x.example"}]
        ),
        ("Feedback 8812", "Login fails on Safari", "https://x.example"),
    ),
    Report(
        "vercel/chat#825, NousResearch/hermes-agent#25486",
        "a forwarded voice message is no blank one",
        forward(flags=1 << 13, attachments=[file("voice-message.ogg", duration_secs=7.5)]),
        ("voice message: 7.5 s", "voice-message.ogg"),
    ),
    Report(
        "ghostty-org/discord-bot#262, aj47/techfren-discord-bot#140",
        "a forward from a server without the bot, whose channel is unknown",
        forward(content="moved to Tuesday", sticker_items=[{"id": "7", "name": "calendar", "format_type": 1}]),
        ("> moved to Tuesday", "sticker: calendar"),
    ),
    Report(
        "openclaw/openclaw#5535, Rapptz/discord.py#7140, andersfylling/disgord#417",
        "a sticker alone",
        {"sticker_items": [{"id": "3", "name": "wave_hello", "format_type": 1}]},
        ("[sticker: wave_hello]",),
    ),
    Report(
        "diamondburned/arikawa#306, not-ilinked/Anarchy#3275",
        "a sticker beside text",
        {"sticker_items": [{"id": "3", "name": "party_parrot", "format_type": 1}]},
        ("we shipped", "[sticker: party_parrot]"),
        content="we shipped",
    ),
    Report(
        "3dproger/AxelChat#539, discord/discord-api-docs#6746",
        "a poll alone has a question and answers",
        poll("Where do we eat?", "Pizza", "Soup"),
        ("[poll: Where do we eat?]", "1. Pizza", "2. Soup", "open until 2026-12-24 18:00 UTC"),
    ),
    Report(
        "discord/discord-api-docs#6869",
        "a poll with votes, several answers, and emoji",
        poll(
            "Which days?",
            "Monday",
            "Friday",
            allow_multiselect=True,
            results={"is_finalized": True, "answer_counts": [{"id": 2, "count": 4, "me_voted": False}]},
        ),
        ("1. Monday: 0 votes", "2. Friday: 4 votes", "several answers may be chosen", "the poll is closed"),
    ),
    Report(
        "getpaseo/hub#64, NousResearch/hermes-agent#45188",
        "the preview of a link is an embed",
        embed(
            title="Incident 77",
            description="Disk full on <@111>'s node",
            author={"name": "PagerBot"},
            fields=[{"name": "Severity", "value": "high"}],
            footer={"text": "since 09:12"},
        ),
        ("Incident 77", "Disk full on", "PagerBot", "Severity: high", "since 09:12"),
        content="https://status.example/77",
    ),
    Report(
        "discord/discord-api-docs#7487, discord-php/DiscordPHP#1294",
        "components of the second version hold all words of a message",
        {
            "flags": 1 << 15,
            "components": [
                {
                    "type": 17,
                    "components": [
                        {"type": 10, "content": "## Deploy 5.2 failed"},
                        {
                            "type": 9,
                            "components": [{"type": 10, "content": "step `migrate`"}],
                            "accessory": {"type": 2, "style": 5, "label": "Logs", "url": "https://ci.example/1"},
                        },
                        {"type": 14},
                        {"type": 12, "items": [{"media": {"url": "https://x"}, "description": "a red graph"}]},
                        {"type": 1, "components": [{"type": 2, "style": 1, "label": "Roll back", "custom_id": "r"}]},
                    ],
                }
            ],
        },
        ("## Deploy 5.2 failed", "step `migrate`", "button: Logs", "a red graph", "button: Roll back"),
    ),
    Report(
        "discordeno/discordeno#4172, discord/discord-api-docs#8490",
        "a component of a kind that nobody knew is named and not dropped",
        {"components": [{"type": 77, "label": "Slider from 1 to 9"}]},
        ("component of an unknown kind (77)", "Slider from 1 to 9"),
    ),
    Report(
        "discord/discord-api-docs#6082",
        "a file has a title and a description beside its name",
        {"attachments": [file("___.pdf", title="Über uns", description="our flyer")]},
        ("___.pdf", "Über uns", "our flyer"),
        content="please proof-read",
    ),
    Report(
        "openclaw/openclaw#20617, typeclaw/typeclaw#912, openabdev/openab#460, sm00th/bitlbee-discord#2",
        "an id says nothing without the name beside it",
        {"mentions": [{"id": "210000000000000001", "username": "bob", "global_name": "Bob B."}]},
        ("did <@210000000000000001> (Bob B.) break", "and <@!210000000000000001> (Bob B.)"),
        content="did <@210000000000000001> break the build, and <@!210000000000000001>?",
    ),
    Report(
        "openabdev/openab#461",
        "ids stay as they were sent, and code with an id stays code",
        {"mentions": [{"id": "210000000000000001", "username": "bob", "global_name": "Bob B."}]},
        ("`<@210000000000000001>` means", "<t:1762000000:F> (2025-11-01 12:26 UTC)", "</deploy:99>", "<:wave:12345>"),
        content="`<@210000000000000001>` means who? <t:1762000000:F> </deploy:99> <:wave:12345>",
    ),
    Report(
        "discordjs/discord.js#10328, discordjs/discord.js#11157",
        "a poll without an end costs nothing of its message",
        poll("When do we meet?", "Noon", expiry=None),
        ("[poll: When do we meet?]", "1. Noon"),
    ),
    Report(
        "nonebot/adapter-discord#77, discordeno/discordeno#3960",
        "a forward lacks an author and most fields",
        {**FORWARD, "message_snapshots": [{"message": {"content": "the boiler is out"}}]},
        ("[forwarded message:]", "> the boiler is out"),
    ),
    Report(
        "discordjs/discord.js#3892, discord-haskell/discord-haskell#105",
        "an embed has a field without a name, a button has no label",
        {
            "embeds": [{"type": "rich", "fields": [{"name": "", "value": "12 caught"}, {"value": "3 left"}]}],
            "components": [{"type": 1, "components": [{"type": 2, "style": 2, "custom_id": "b"}]}],
        },
        ("12 caught", "3 left", "button: without a label"),
        content="look at that",
    ),
    Report(
        "discord-php/DiscordPHP#1294",
        "words that a container hides stay behind bars",
        {"components": [{"type": 17, "spoiler": True, "components": [{"type": 10, "content": "the\nbutler"}]}]},
        ("> ||the||", "> ||butler||"),
    ),
)
"""Messages that are turns of their own."""

VOICE = Report(
    "discord/discord-api-docs#6082, discord-php/DiscordPHP#1223",
    "a voice message has no text",
    {"flags": 1 << 13, "attachments": [file("voice-message.ogg", duration_secs=12.4, waveform="AA==")]},
    ("voice message: 12.4 s",),
)
"""Answered by one sentence where no recording is listened to; the model has it in the next turn."""
SILENT = (
    Report("", "a member joined", {"type": 7}, ()),
    Report("", "a message was pinned", {"type": 6}, ()),
    Report("", "a member boosted", {"type": 8}, (), content="2"),
    Report("", "a thread was begun", {"type": 18}, (), content="a thread"),
)
"""Notices of Discord's, which are in no turn."""

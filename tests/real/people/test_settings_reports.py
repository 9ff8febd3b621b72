"""Public reports of settings for Discord that could never work, and that no program named; owner/repo#number each."""

from __future__ import annotations

import tomllib

import pytest

from actors.settings.load import load
from actors.settings.problem import SettingsError
from domain.policy.channel_rules import ChannelRule, ChannelRules
from domain.policy.discord_world import DiscordWorld, Person, Place, PlaceKind, RoleOf
from domain.policy.settings_faults import DiscordWish, settings_faults

NOW_MS = 1_795_000_000_000
GUILD, OTHER_GUILD = "910000000000000001", "910000000000000002"
GENERAL, VOICE, CATEGORY, EMPTY, INNER = (f"91000000000000001{number}" for number in range(1, 6))
FORUM, FOREIGN, SHUT = "910000000000000016", "910000000000000017", "910000000000000018"
ROUND = "969697942212579348"
BOT, OTHER_BOT, ANN, BLIND, FAR = (f"91000000000000003{number}" for number in range(1, 6))
STAFF, BOTS_ROLE, FAR_ROLE = (f"91000000000000004{number}" for number in range(1, 4))
NOTHING = "910000000000000098"
FULL = (1 << 50) - 1
WORLD = DiscordWorld(
    bot_id=BOT,
    guilds={GUILD: "Home", OTHER_GUILD: "Away"},
    places={
        GENERAL: Place(name="general", kind=PlaceKind.TEXT, guild_id=GUILD, permissions=FULL & ~8),
        VOICE: Place(name="lounge", kind=PlaceKind.VOICE, guild_id=GUILD, permissions=FULL & ~8),
        CATEGORY: Place(name="Ops", kind=PlaceKind.CATEGORY, guild_id=GUILD),
        INNER: Place(name="alerts", kind=PlaceKind.TEXT, guild_id=GUILD, parent_id=CATEGORY, permissions=FULL & ~8),
        EMPTY: Place(name="Archive", kind=PlaceKind.CATEGORY, guild_id=GUILD),
        FORUM: Place(name="ideas", kind=PlaceKind.FORUM, guild_id=GUILD),
        SHUT: Place(name="quiet", kind=PlaceKind.TEXT, guild_id=GUILD, permissions=1 << 10 | 1 << 16),
        ROUND: Place(name="support", kind=PlaceKind.TEXT, guild_id=GUILD),
    },
    roles={
        STAFF: RoleOf(name="Staff", guild_id=GUILD),
        BOTS_ROLE: RoleOf(name="Remembrancer", guild_id=GUILD, bot_id=BOT),
        FAR_ROLE: RoleOf(name="Crew", guild_id=OTHER_GUILD),
    },
    persons={
        OTHER_BOT: Person(name="Helper", is_bot=True),
        ANN: Person(name="Ann", guild_ids=frozenset({GUILD}), sees=frozenset({GENERAL})),
        BLIND: Person(name="Ben", guild_ids=frozenset({GUILD})),
        FAR: Person(name="Cleo", guild_ids=frozenset({OTHER_GUILD})),
    },
    knows_persons=True,
    hidden=frozenset({FOREIGN}),
)
AUTO = ChannelRules(general=ChannelRule(threads="auto"))

CASES: list[tuple[str, DiscordWish, list[str]]] = [
    ("openclaw#83653: a category", DiscordWish(channels=(CATEGORY,), reminders_channel=INNER), []),
    (
        "hermes-agent#38540: a category without channels",
        DiscordWish(channels=(EMPTY,), has_reminders=False),
        [f"discord.channels: {EMPTY} is the category 'Archive', which has no channels yet"],
    ),
    (
        "discord.js#7866, gsd-pi#280 of open-gsd, gsd-2#5213: the last digits were rounded",
        DiscordWish(channels=("969697942212579300",)),
        [
            f"discord.channels: 969697942212579300 is a rounded number, as YAML and JSON readers make them: write {ROUND}"
        ],
    ),
    (
        "paperclip-plugin-discord#33: rounded beyond all knowledge",
        DiscordWish(channels=("1497549923779084300",)),
        [
            "discord.channels: 1497549923779084300 is no channel of a server that the bot is in ('Home', 'Away'); it ends in"
        ],
    ),
    (
        "pokecord-catcher#166: the server in the place of a channel",
        DiscordWish(channels=(GUILD,)),
        [f"discord.channels: {GUILD} is the server 'Home', and not the id of a channel"],
    ),
    (
        "a person in the place of a channel",
        DiscordWish(channels=(ANN,)),
        [f"discord.channels: {ANN} is the account 'Ann'"],
    ),
    ("the application's id", DiscordWish(channels=(BOT,)), [f"discord.channels: {BOT} is the bot itself"]),
    (
        "sentry-docs#7700: a channel that the bot may not view",
        DiscordWish(channels=(FOREIGN,)),
        [f"discord.channels: {FOREIGN} is a channel that the bot may not view: grant View Channels"],
    ),
    ("nothing has it", DiscordWish(channels=(NOTHING,)), [f"discord.channels: {NOTHING} is no channel of a server"]),
    (
        "miscord#353: a number that is no id",
        DiscordWish(channels=("18000000000000000000",)),
        ["discord.channels: 18000000000000000000 is not an id: its number stands for a time in the future"],
    ),
    (
        "GameServerMonitor#31, Essentials#4567: a right is missing in the channel alone",
        DiscordWish(channels=(SHUT,)),
        [f"discord.channels: in {SHUT} ('quiet') the bot lacks Send Messages, Send Messages in Threads, Attach Files"],
    ),
    (
        "discord-needle#252: no right to create threads",
        DiscordWish(channels=(SHUT,), rules=AUTO),
        [f"discord.channels: in {SHUT} ('quiet') the bot lacks Send Messages"],
    ),
    (
        "HLTVDiscordBridge#79: a voice channel",
        DiscordWish(channels=(GENERAL, VOICE), rules=AUTO),
        [
            f"discord.channels: {VOICE} is the voice channel 'lounge': its text chat",
            f"discord.threads: {VOICE} ('lounge')",
        ],
    ),
    (
        "canary#8 of yujonglee: a forum, where reminders cannot be said",
        DiscordWish(channels=(FORUM,)),
        [
            f"discord.channels: {FORUM} is the forum 'ideas': each of its posts is heard as",
            f"reminders.channel: {FORUM} (the first of discord.channels) is the forum 'ideas', which takes no messages",
        ],
    ),
    ("twice", DiscordWish(channels=(GENERAL, GENERAL)), [f"discord.channels: {GENERAL} stands there 2 times"]),
    (
        "claude-plugins-official#5468: a bot among those who are heard",
        DiscordWish(channels=(GENERAL,), users=(OTHER_BOT,)),
        [f"discord.allowed_users: {OTHER_BOT} is the bot 'Helper': messages of bots are ignored"],
    ),
    (
        "openclaw#79043: a person whose words never come",
        DiscordWish(channels=(GENERAL,), users=(ANN, BLIND, FAR, BOT)),
        [
            f"discord.allowed_users: {BLIND} ('Ben') may view none of the channels",
            f"discord.allowed_users: {FAR} ('Cleo') is in no server with a channel",
            f"discord.allowed_users: {BOT} is the bot itself",
        ],
    ),
    (
        "a channel, a role and nobody among the people",
        DiscordWish(channels=(GENERAL,), users=(GENERAL, STAFF, NOTHING)),
        [
            f"discord.allowed_users: {GENERAL} is the text channel 'general', and not the id of an account",
            f"discord.allowed_users: {STAFF} is the role 'Staff'",
            f"discord.allowed_users: {NOTHING} is no account that Discord knows",
        ],
    ),
    (
        "DiscordSoundboard#81: everyone and one more",
        DiscordWish(channels=(GENERAL,), users=("*", ANN)),
        [f'discord.allowed_users: "*" is everyone, so {ANN} change nothing'],
    ),
    (
        "openclaw#16207: roles that no person who speaks can have",
        DiscordWish(channels=(GENERAL,), roles=(GUILD, BOTS_ROLE, FAR_ROLE, ANN, STAFF)),
        [
            f"discord.allowed_roles: {GUILD} is @everyone of the server 'Home'",
            f"discord.allowed_roles: {BOTS_ROLE} is the role 'Remembrancer' of a bot",
            f"discord.allowed_roles: {FAR_ROLE} is a role of the server 'Away', of which no channel",
            f"discord.allowed_roles: {ANN} is the account 'Ann', and not the id of a role",
        ],
    ),
    (
        "hermes-agent#27495: roles alone, and direct messages",
        DiscordWish(channels=(GENERAL,), roles=(STAFF,), dms=True),
        ["discord.dms: true, but direct messages have no roles"],
    ),
    (
        "settings of a channel that is not heard",
        DiscordWish(channels=(GENERAL,), tables=(VOICE, NOTHING)),
        [
            f"channels.{VOICE}: the voice channel 'lounge' is not heard",
            f"channels: {NOTHING} is no channel of a server",
        ],
    ),
    (
        "a bot that is to be reminded",
        DiscordWish(channels=(GENERAL,), reminders_owner=OTHER_BOT),
        [f"reminders.owner: {OTHER_BOT} is a bot"],
    ),
    (
        "all is well",
        DiscordWish(channels=(GENERAL, CATEGORY), users=(ANN,), roles=(STAFF,), tables=(INNER,), rules=AUTO),
        [],
    ),
]


@pytest.mark.req("X-210")
def test_each_setting_that_cannot_work_is_named_with_its_reason() -> None:
    failures = []
    for report, wish, expected in CASES:
        told = [str(fault) for fault in settings_faults(wish, WORLD, NOW_MS)]
        if len(told) != len(expected) or not all(map(str.startswith, told, expected)):
            failures.append((report, told))
    assert not failures


def test_what_is_out_is_no_fault() -> None:
    out = DiscordWorld(bot_id=BOT, guilds={GUILD: "Home"}, places={}, roles={}, out=1)
    wish = DiscordWish(channels=(GENERAL,), users=(ANN,), roles=(STAFF,), tables=(GENERAL,))
    assert list(settings_faults(wish, out, NOW_MS)) == []


NO_IDS = [
    ("home-assistant#69783: a number with a point", "1.2e18", "has lost its last digits"),
    ("a name", '"#general"', "names can change"),
    ("a mention", f'"<#{GENERAL}>"', f"this is a mention: write {GENERAL}"),
    ("a link", f'"https://discord.com/channels/{GUILD}/{GENERAL}"', f"this is a link: write {GENERAL}"),
    ("several in one text", f'"{GENERAL}, {VOICE}"', "holds several ids"),
    ("blanks", f'" {GENERAL} "', "remove the blanks around the id"),
    ("the first piece of a token", '"OTEwMDAwMDAwMDAwMDAwMDMx"', "secrets.env"),
    ("too short", "12345", "must be a Discord id of 15 to 20 digits"),
]


def test_what_is_no_id_is_refused_with_the_likely_mistake() -> None:
    failures = []
    for case, written, expected in NO_IDS:
        try:
            load(environ={}, overrides={"discord.channels": [_read(written)]})
        except SettingsError as error:
            if expected not in str(error) or "discord.channels[0]" not in str(error):
                failures.append((case, str(error)))
        else:
            failures.append((case, "taken"))
    assert not failures


def _read(written: str) -> object:
    return tomllib.loads(f"value = {written}")["value"]

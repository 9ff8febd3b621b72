"""JSON of the simulation's only server."""

from __future__ import annotations

from datetime import UTC, datetime

from lab import discord_json
from lab.discord_json import Json

EPOCH_MS = 1_420_070_400_000
GUILD, BOT, APPLICATION = 910_000_000_000_000_001, 910_000_000_000_000_002, 910_000_000_000_000_003
PEOPLE = (910_000_000_000_000_021, 910_000_000_000_000_022, 910_000_000_000_000_023)
_JOINED = "2026-01-01T00:00:00+00:00"


def user(number: int) -> Json:
    """A person, or the bot."""
    if number == BOT:
        return discord_json.user(number, "agent", "Agent", is_bot=True)
    return discord_json.user(number, f"person{number % 100}", f"Person {number % 100}", is_bot=False)


def member() -> Json:
    """Anybody's membership, without the user."""
    return discord_json.member(_JOINED)


def application() -> Json:
    """Answer to `/oauth2/applications/@me`."""
    return discord_json.application(APPLICATION, "Agent", "", user(PEOPLE[0]))


def guild(channels: list[Json], threads: list[Json]) -> Json:
    """The server as `GUILD_CREATE` describes it."""
    everyone = discord_json.role(GUILD, "@everyone", (1 << 50) - 1, position=0)
    bot = {**member(), "user": user(BOT)}
    described = discord_json.guild(GUILD, "Server", PEOPLE[0], "", [everyone])
    return described | discord_json.guild_extras(_JOINED, len(PEOPLE) + 1, [bot], channels=channels, threads=threads)


def text_channel(number: int, newest: int, position: int) -> Json:
    """A channel of the server."""
    return discord_json.channel(number, GUILD, 0, f"channel-{position}", position=position, newest=newest)


def thread(number: int, parent: int, newest: int, count: int) -> Json:
    """A public thread, not archived."""
    made_at = instant_of(number)
    described = discord_json.thread(number, (GUILD, parent), PEOPLE[0], 11, f"thread-{number}", newest)
    return described | discord_json.thread_state(count, 1, made_at, made_at)


def dm_channel(number: int, person: int, newest: int) -> Json:
    """Direct messages with a person."""
    return discord_json.dm_channel(number, user(person), newest)


def instant_of(number: int) -> str:
    """Time of a snowflake, as Discord writes it."""
    return datetime.fromtimestamp(((number >> 22) + EPOCH_MS) / 1000, UTC).isoformat()

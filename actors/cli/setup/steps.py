"""Steps of a setup in Discord: each asks, checks the answer with Discord, and reports the decision."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from actors.cli.setup.choosing import Item, choose_items
from actors.cli.setup.permissions import has_content_intent, in_channel, invite_link, missing, readable_channels
from actors.cli.setup.questions import NobodyAskedError, Talk
from actors.cli.setup.rest import DiscordError, DiscordRest

EVERYONE = Item("*", "everyone in those channels")
NOT_FOUND = 404


@dataclass(frozen=True, slots=True)
class Wish:
    """Wanted entries of a list, such as the channels."""

    from_options: tuple[str, ...] = ()
    """By options: names or ids."""
    from_settings: tuple[str, ...] = ()
    """By the settings: ids."""

    @property
    def words(self) -> tuple[str, ...]:
        """Default entries, without another answer."""
        return self.from_options or self.from_settings


@dataclass(slots=True)
class Guild:
    """A server of the bot."""

    id: str
    name: str
    full: Mapping[str, Any] = field(repr=False)
    member: Mapping[str, Any] = field(repr=False)
    """The bot, there."""


@dataclass(frozen=True, slots=True)
class Room:
    """A channel, as a choice."""

    item: Item
    heading: str
    guild: Guild | None
    """None for a channel named in the settings and not shown to the bot."""
    lacks: tuple[str, ...] = ()


def token_step(talk: Talk, api_base: str, known: str) -> tuple[DiscordRest, Mapping[str, Any], str]:
    """Discord, the bot's user, and a working token.

    Args:
        talk: Dialogue that asks.
        api_base: Of Discord's REST API.
        known: The token of an option, the environment or an earlier setup; empty without a token.
    """
    talk.head(1, "The bot's token")
    if talk.asks and not known:
        talk.say("   https://discord.com/developers/applications > your application > Bot > Reset Token")

    def take(answer: str) -> tuple[DiscordRest, Mapping[str, Any], str]:
        if not answer or any(letter.isspace() or not letter.isprintable() for letter in answer):
            raise ValueError('a token is one word, without "Bot" before it')
        rest = DiscordRest(api_base, answer)
        try:
            return rest, rest.me(), answer
        except DiscordError as error:
            raise ValueError(str(error)) from error

    keeps = " (hidden; Enter keeps the present one)" if known else " (hidden)"
    rest, user, token = talk.type_until(f"Token{keeps}", "--token-file or DISCORD_BOT_TOKEN", take, known, hidden=True)
    talk.say(f"   the token belongs to {user.get('username')}")
    return rest, user, token


def intent_step(talk: Talk, rest: DiscordRest) -> str:
    """The application's id, once the bot may read messages."""
    talk.head(2, "Message Content Intent")
    while True:
        application = rest.application()
        application_id = str(application["id"])
        if has_content_intent(application):
            talk.say("   Message Content Intent is on")
            return application_id
        page = f"https://discord.com/developers/applications/{application_id}/bot"
        words = f"Message Content Intent is off: switch it on at {page} (Privileged Gateway Intents) and save"
        if not talk.asks:
            raise NobodyAskedError(words)
        talk.say(f"   {words}")
        talk.type_in("Enter to look again", "")


def guilds_step(talk: Talk, rest: DiscordRest, application_id: str, user: Mapping[str, Any]) -> list[Guild]:
    """Servers of the bot, at least one; reports permissions that the bot lacks there."""
    talk.head(3, "The bot's server")
    link = invite_link(application_id)
    talk.say(f"   address that invites the bot, with the six permissions that it needs: {link}")
    while not (rows := rest.guilds()):
        if not talk.asks:
            raise NobodyAskedError(f"the bot is in no server yet: open {link}")
        talk.type_in("The bot is in no server yet. Press Enter when you have invited it", "")
    guilds = [_guild(rest, str(each["id"]), str(user["id"])) for each in rows]
    lacking = False
    for guild in guilds:
        lacks = missing(in_channel(guild.full, guild.member, {}))
        lacking = lacking or bool(lacks)
        talk.say(f"   {guild.name}: " + (f"the bot lacks {', '.join(lacks)}" if lacks else "all six permissions"))
    if lacking:
        talk.say("   open the address above once more to grant them, or grant them in the channels alone")
    return guilds


def _guild(rest: DiscordRest, guild_id: str, user_id: str) -> Guild:
    guild = rest.guild(guild_id)
    return Guild(guild_id, str(guild["name"]), guild, rest.member(guild_id, user_id))


def channels_step(talk: Talk, rest: DiscordRest, guilds: Sequence[Guild], wish: Wish) -> list[Room]:
    """Channels that the bot hears; the bot may work in each."""
    talk.head(4, "Channels that the bot hears, with their threads")
    rooms = _rooms(rest, guilds, wish.from_settings)
    if not rooms:
        raise NobodyAskedError("the bot's servers have no text channel and no forum: create one")
    items = [room.item for room in rooms.values()]
    if talk.asks:
        talk.show(items, [room.heading for room in rooms.values()])

    def take(answer: str) -> list[Room]:
        choices = [rooms[item.id] for item in choose_items(answer, items)]
        if any(room.lacks for room in choices):  # it may have been granted meanwhile
            now = _rooms(
                rest, [_guild(rest, each.id, str(each.member["user"]["id"])) for each in guilds], wish.from_settings
            )
            choices = [now.get(room.item.id, room) for room in choices]
        if words := [f"#{room.item.name} the bot lacks {', '.join(room.lacks)}" for room in choices if room.lacks]:
            raise ValueError(f"in {'; in '.join(words)}: grant it there, then choose again")
        return choices

    display = ", ".join(rooms[key].item.name for key in wish.words if key in rooms) if not wish.from_options else ""
    choices = talk.type_until("Numbers or names", "--channel", take, " ".join(wish.words), display=display)
    talk.say(f"   the bot hears {', '.join(f'#{room.item.name}' for room in choices)}")
    return choices


def _rooms(rest: DiscordRest, guilds: Sequence[Guild], settings_ids: Sequence[str]) -> dict[str, Room]:
    """By id, all channels the bot can hear, plus further channels named in the settings."""
    rooms = {}
    for guild in guilds:
        for category, channel in readable_channels(rest.channels(guild.id)):
            key = str(channel["id"])
            lacks = missing(in_channel(guild.full, guild.member, channel))
            heading = category or "without a category"
            rooms[key] = Room(
                Item(key, str(channel["name"]), f"(the bot lacks {', '.join(lacks)})" if lacks else ""),
                f"{guild.name}: {heading}" if len(guilds) > 1 else heading,
                guild,
                lacks,
            )
    unseen = {key: Room(Item(key, key, "(not found there)"), "in the settings", None) for key in settings_ids}
    return rooms | {key: room for key, room in unseen.items() if key not in rooms}


def people_step(
    talk: Talk, rest: DiscordRest, guilds: Sequence[Guild], wish: Wish, *, has_roles: bool
) -> tuple[Item, ...]:
    """People who may talk to the bot.

    Args:
        talk: Dialogue that asks.
        rest: Discord.
        guilds: Servers to search for people.
        wish: Wanted people.
        has_roles: True if roles are allowed already, so that no person needs to be named.
    """
    talk.head(5, "People who may talk to the bot, and thereby have commands run")
    default = ", ".join(wish.words)
    if not default and has_roles and not talk.asks:
        return ()

    def take(answer: str) -> tuple[Item, ...]:
        words = filter(None, (word.strip() for word in answer.split(",")))
        people = {item.id: item for item in (_person(talk, rest, guilds, word, wish.from_settings) for word in words)}
        if not people and not has_roles:
            raise ValueError("at least one person is required, or * for everyone in the channels")
        return tuple(people.values())

    ask = "Your name in Discord or its beginning, others' behind commas; * is everyone in those channels"
    people = talk.type_until(ask, "--user", take, default)
    talk.say(f"   the bot listens to {', '.join(each.name for each in people) or 'the roles in the settings alone'}")
    return people


def _person(talk: Talk, rest: DiscordRest, guilds: Sequence[Guild], word: str, settings_ids: Sequence[str]) -> Item:
    """Find a person by a name, the beginning of a name, or an id.

    Raises:
        ValueError: no person, or several people.
    """
    if word == EVERYONE.id:
        return EVERYONE
    items = list({item.id: item for guild in guilds for item in _people(rest, guild, word.removeprefix("@"))}.values())
    exact = [
        each for each in items if word.removeprefix("@").casefold() in (each.name.casefold(), each.about.casefold())
    ]
    if not items and word in settings_ids:
        return Item(word, word, "not found there")
    if not items:
        where = ", ".join(guild.name for guild in guilds)
        raise ValueError(f"{word!r}: no member of {where} has this id or a name that begins so")
    if len(items) == 1 or len(exact) == 1:
        return (exact or items)[0]
    if not talk.asks:
        several = ", ".join(f"{each.name} ({each.about}, {each.id})" for each in items)
        raise ValueError(f"{word!r} may be {several}: type the whole name, or the id")
    talk.show(items)
    return talk.type_until("Which of them", "--user", lambda answer: _only(choose_items(answer, items)))


def _only(matches: Sequence[Item]) -> Item:
    if len(matches) > 1:
        raise ValueError(f"{', '.join(item.name for item in matches)}: choose one")
    return matches[0]


def _people(rest: DiscordRest, guild: Guild, word: str) -> list[Item]:
    if not (word.isascii() and word.isdigit() and len(word) >= 15):
        return [_item(each) for each in rest.people(guild.id, word) if not each["user"].get("bot")]
    try:
        return [_item(rest.member(guild.id, word))]
    except DiscordError as error:
        if error.status != NOT_FOUND:
            raise
        return []


def _item(member: Mapping[str, Any]) -> Item:
    user = member["user"]
    name = member.get("nick") or user.get("global_name") or user["username"]
    return Item(str(user["id"]), str(name), str(user["username"]))

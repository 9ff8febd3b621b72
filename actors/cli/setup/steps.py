"""Steps of a setup: each asks, checks what it was told with those who know, and says what was decided."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from actors.cli.setup.choosing import Item, chosen
from actors.cli.setup.models import RECIPES, Recipe, key_of
from actors.cli.setup.permissions import has_content_intent, in_channel, invite_link, missing, readable_channels
from actors.cli.setup.questions import NobodyAskedError, Talk
from actors.cli.setup.rest import DiscordError, DiscordRest

EVERYONE = "*"


@dataclass(slots=True)
class Wishes:
    """What options, the environment and earlier settings say."""

    api_base: str
    """Discord's."""
    token: str = field(default="", repr=False)
    channels: tuple[str, ...] = ()
    users: tuple[str, ...] = ()
    model: str = ""
    model_api_base: str = ""
    model_key: str = field(default="", repr=False)
    keys: Mapping[str, str] = field(default_factory=dict, repr=False)
    """Providers' keys that are known, by litellm's names."""
    reminders: str = ""


@dataclass(slots=True)
class Guild:
    """The server that the bot works in."""

    id: str
    name: str
    full: Mapping[str, Any]
    member: Mapping[str, Any]
    """The bot, there."""


def token_step(talk: Talk, wishes: Wishes) -> tuple[DiscordRest, Mapping[str, Any], str]:
    """Discord, the bot's user, and its token, which works."""
    talk.head(1, "The bot's token")
    if talk.asks and not wishes.token:
        talk.say("   https://discord.com/developers/applications > your application > Bot > Reset Token")

    def take(said: str) -> tuple[DiscordRest, Mapping[str, Any], str]:
        if not said or any(letter.isspace() or not letter.isprintable() for letter in said):
            raise ValueError('a token is one word, without "Bot" before it')
        rest = DiscordRest(wishes.api_base, said)
        try:
            return rest, rest.me(), said
        except DiscordError as error:
            raise ValueError(str(error)) from error

    known = " (hidden; Enter keeps the one that is there)" if wishes.token else " (hidden)"
    rest, user, token = talk.type_until(
        f"Token{known}", "--token-file or DISCORD_BOT_TOKEN", take, wishes.token, hidden=True
    )
    talk.say(f"   it is {user.get('username')}'s")
    return rest, user, token


def intent_step(talk: Talk, rest: DiscordRest) -> str:
    """The application's id, once the bot may read messages."""
    talk.head(2, "What it may read")
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


def guild_step(talk: Talk, rest: DiscordRest, application_id: str, user: Mapping[str, Any]) -> Guild:
    """The server, in which the bot has what it needs."""
    talk.head(3, "Its server")
    link = invite_link(application_id)
    talk.say(f"   invite it by this address: {link}")
    while not (guilds := rest.guilds()):
        if not talk.asks:
            raise NobodyAskedError(f"the bot is in no server yet: open {link}")
        talk.type_in("Enter when it has been invited", "")
    items = [Item(str(each["id"]), str(each["name"])) for each in guilds]
    item = items[0]
    if len(items) > 1 and talk.asks:
        talk.show(items)
        item = talk.type_until("Which server", "--channel", lambda said: chosen(said, items)[0], "1")
    guild = rest.guild(item.id)
    member = rest.member(item.id, str(user["id"]))
    lacks = missing(in_channel(guild, member, {}))
    talk.say(f"   {item.name}" + (f"; it lacks there: {', '.join(lacks)}" if lacks else ": all six permissions"))
    if lacks:
        talk.say("   open the address above once more to grant them, or grant them in the channels alone")
    return Guild(item.id, item.name, guild, member)


def channels_step(talk: Talk, rest: DiscordRest, guild: Guild, before: tuple[str, ...]) -> tuple[str, ...]:
    """Ids of the channels that the bot hears, where it may work."""
    talk.head(4, "The channels that it hears, with their threads")
    readable = readable_channels(rest.channels(guild.id))
    items, lacking = [], dict[str, tuple[str, ...]]()
    for _, channel in readable:
        key = str(channel["id"])
        lacking[key] = missing(in_channel(guild.full, guild.member, channel))
        about = f"(it lacks {', '.join(lacking[key])})" if lacking[key] else ""
        items.append(Item(key, str(channel["name"]), about))
    if not items:
        raise NobodyAskedError(f"{guild.name} has no channel that the bot can see")
    if talk.asks:
        talk.show(items, [heading or "without a category" for heading, _ in readable])
    known = [each for each in before if each in lacking or not each.isdigit()]

    def take(said: str) -> tuple[Item, ...]:
        found = chosen(said, items)
        for item in found:
            if lacking[item.id]:
                raise ValueError(f"#{item.name}: the bot lacks {', '.join(lacking[item.id])} there: grant it first")
        return found

    found = talk.type_until("Numbers or names", "--channel", take, " ".join(known or before))
    talk.say(f"   it hears {', '.join(f'#{item.name}' for item in found)}")
    return tuple(item.id for item in found)


def people_step(talk: Talk, rest: DiscordRest, guild: Guild, before: tuple[str, ...]) -> tuple[str, ...]:
    """Ids of those who may talk to it."""
    talk.head(5, "Who may talk to it, and thereby have commands run")
    found: dict[str, None] = {}

    def take(said: str) -> None:
        for word in said.replace(",", " ").split():
            found[word if word == EVERYONE else _person(talk, rest, guild, word.lstrip("@"))] = None
        if not found:
            raise ValueError("at least one person is required, or * for everyone in the channels")

    talk.type_until(
        "Your name in Discord or its beginning, several with commas; * is everyone in those channels",
        "--user",
        take,
        " ".join(before),
    )
    return tuple(found)


def _person(talk: Talk, rest: DiscordRest, guild: Guild, word: str) -> str:
    try:
        if word.isascii() and word.isdigit() and len(word) >= 15:
            items = [_item(rest.member(guild.id, word))]
        else:
            items = [_item(each) for each in rest.people(guild.id, word) if not each["user"].get("bot")]
    except DiscordError as error:
        if error.status != 404:
            raise
        items = []
    if not items:
        raise ValueError(f"{word!r}: nobody in {guild.name} has a name that begins so, or that id")
    item = items[0]
    exact = [each for each in items if word.casefold() in (each.name.casefold(), each.about.casefold())]
    if len(items) > 1 and len(exact) != 1:
        if not talk.asks:
            raise ValueError(f"{word!r} may be {', '.join(each.name for each in items)}: say the whole name, or the id")
        talk.show(items)
        item = talk.type_until("Which of them", "--user", lambda said: chosen(said, items)[0])
    elif exact:
        item = exact[0]
    talk.say(f"   {item.name} ({item.id})")
    return item.id


def _item(member: Mapping[str, Any]) -> Item:
    user = member["user"]
    shown = member.get("nick") or user.get("global_name") or user["username"]
    return Item(str(user["id"]), str(shown), str(user["username"]))


@dataclass(frozen=True, slots=True)
class ModelChoice:
    """A model that is to answer."""

    name: str
    api_base: str
    key_name: str
    key: str = field(repr=False)


def model_step(talk: Talk, wishes: Wishes) -> ModelChoice:
    """What model answers, not yet tried."""
    talk.head(6, "The model that answers")
    if not talk.asks:
        name = wishes.model or "offline"
        key_name = key_of(name)
        return ModelChoice(name, wishes.model_api_base, key_name, wishes.model_key or wishes.keys.get(key_name, ""))
    items = [Item(each.word, each.word, each.about) for each in RECIPES]
    talk.show(items)
    default = next(
        (each.word for each in RECIPES if each.model == wishes.model), "other" if wishes.model else "offline"
    )
    word = talk.type_until("Which", "--model", lambda said: chosen(said, items)[0].id, default)
    recipe = next(each for each in RECIPES if each.word == word)
    if recipe.word == "offline":
        return ModelChoice("offline", "", "", "")
    name = talk.type_until("Its name for litellm", "--model", _model_name, _default_name(recipe, wishes))
    api_base = wishes.model_api_base or recipe.api_base
    if recipe.api_base:
        api_base = talk.type_in("Its address", "--model-api-base", api_base)
    key_name = recipe.key or key_of(name)
    if not key_name:
        return ModelChoice(name, api_base if recipe.api_base else "", "", "")
    known = wishes.keys.get(key_name, "")
    keeps = "; Enter keeps the one that is there" if known else ""
    key = talk.type_until(f"{key_name} (hidden{keeps})", key_name, _key, known, hidden=True)
    return ModelChoice(name, "", key_name, key)


def _default_name(recipe: Recipe, wishes: Wishes) -> str:
    is_same = wishes.model and recipe.model.partition("/")[0] == wishes.model.partition("/")[0]
    return wishes.model if is_same or not recipe.model else recipe.model


def _model_name(said: str) -> str:
    if not said or "NAME" in said or said != said.strip() or " " in said:
        raise ValueError(f"{said!r}: a model's name as litellm has it is required, such as provider/name")
    return said


def _key(said: str) -> str:
    if not said or any(letter.isspace() or not letter.isprintable() for letter in said):
        raise ValueError("a key is one word")
    return said


def reminders_step(talk: Talk, wishes: Wishes, data_root: Path) -> str:
    """The reminders' file as the settings name it."""
    talk.head(7, "The file of reminders, which you may edit too")

    def take(said: str) -> str:
        path = data_root / Path(said).expanduser()
        if path.is_dir() or path == data_root or said.endswith("/"):
            raise ValueError(f"{said!r} is a folder: name a file in it, such as {said.rstrip('/')}/reminders.md")
        if not path.parent.is_dir() and path.parent != data_root:
            raise ValueError(f"{said!r}: there is no folder {path.parent}")
        return said

    return talk.type_until("A path; a relative one counts from the data root", "--reminders", take, wishes.reminders)

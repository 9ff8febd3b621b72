"""Registered commands and the life of interactions: acknowledge once within 3 s, then 15 minutes of follow-ups."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from secrets import token_urlsafe
from typing import Any

from lab.playground.world import defaults
from lab.playground.world.errors import ApiError, unknown
from lab.playground.world.records import Channel, Message, User
from lab.playground.world.rules import check_command

ACKNOWLEDGE_S = 3.0
TOKEN_LIFE_S = 900.0
_KEPT = 10_000


class InteractionKind(IntEnum):
    """Discord's interaction types."""

    COMMAND = 2
    COMPONENT = 3
    AUTOCOMPLETE = 4
    MODAL = 5


class CallbackKind(IntEnum):
    """How an interaction can be acknowledged."""

    MESSAGE = 4
    DEFERRED_MESSAGE = 5
    DEFERRED_UPDATE = 6
    UPDATE = 7
    CHOICES = 8
    MODAL = 9


@dataclass(slots=True)
class Interaction:
    """Something a user did with the bot's commands or components."""

    id: int
    token: str
    kind: InteractionKind
    user: User
    channel: Channel
    data: dict[str, Any]
    created_at: float
    source: Message | None = None
    """The message whose component was used."""
    callback: CallbackKind | None = None
    callback_data: dict[str, Any] = field(default_factory=dict)
    original_id: int | None = None
    """The message that `@original` means."""
    is_deferred: bool = False
    """Whether the original still waits for its text."""
    hidden: dict[int, Message] = field(default_factory=dict)
    """Ephemeral answers, seen by `user` only."""
    answer_ids: list[int] = field(default_factory=list)

    @property
    def is_acknowledged(self) -> bool:
        """Whether the bot has called back."""
        return self.callback is not None


class CommandBook:
    """The commands the bot registered, global ones and the guild's.

    Args:
        new_id: Makes ids.
    """

    def __init__(self, new_id: Callable[[], int]) -> None:
        self._new_id = new_id
        self._by_scope: dict[int | None, dict[tuple[int, str], dict[str, Any]]] = {None: {}, defaults.GUILD_ID: {}}

    def add_guild(self, guild_id: int) -> None:
        """Let the bot register commands in a further guild."""
        self._by_scope[guild_id] = {}

    def all_of(self, guild_id: int | None) -> list[dict[str, Any]]:
        """The commands of the guild, or the global ones for None."""
        return list(self._by_scope.get(guild_id, {}).values())

    def visible(self) -> list[dict[str, Any]]:
        """What a user of the guild can call; the guild's own win over global ones of the same name."""
        return list({**self._by_scope[None], **self._by_scope[defaults.GUILD_ID]}.values())

    def find(self, name: str, kind: int = 1, guild_id: int = defaults.GUILD_ID) -> dict[str, Any]:
        """The command as a user of a guild sees it, else `ValueError`."""
        for scope in (guild_id, None):
            command = self._by_scope[scope].get((kind, name))
            if command is not None:
                return command
        known = ", ".join(sorted(c["name"] for c in self.visible())) or "none"
        raise ValueError(f"command {name!r} (type {kind}): the bot has not registered it; known: {known}")

    def replace_all(self, guild_id: int | None, commands: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
        """The scope's new commands; equal names keep their ids. Form errors are keyed by index."""
        errors: dict[str, Any] = {}
        for index, command in enumerate(commands):
            try:
                check_command(command)
            except ApiError as error:
                errors[str(index)] = error.errors
        if errors:
            raise ApiError(400, 50035, "Invalid Form Body", errors)
        old = self._scope(guild_id)
        self._by_scope[guild_id] = {}
        for command in commands:
            self._keep(guild_id, command, old)
        return self.all_of(guild_id)

    def put(self, guild_id: int | None, command: dict[str, Any]) -> dict[str, Any]:
        """The one command, created or replaced."""
        check_command(command)
        return self._keep(guild_id, command, self._scope(guild_id))

    def delete(self, guild_id: int | None, command_id: int) -> None:
        """Forget a command, else 10063."""
        scope = self._scope(guild_id)
        for key, command in scope.items():
            if command["id"] == str(command_id):
                del scope[key]
                return
        raise unknown("application command", 10063)

    def _scope(self, guild_id: int | None) -> dict[tuple[int, str], dict[str, Any]]:
        scope = self._by_scope.get(guild_id)
        if scope is None:
            raise unknown("Guild", 10004)
        return scope

    def _keep(
        self, guild_id: int | None, command: dict[str, Any], old: dict[tuple[int, str], dict[str, Any]]
    ) -> dict[str, Any]:
        key = (int(command.get("type") or 1), str(command["name"]))
        kept: dict[str, Any] = {
            "description": "",
            "default_member_permissions": None,
            "nsfw": False,
            **command,
            "id": old[key]["id"] if key in old else str(self._new_id()),
            "application_id": str(defaults.APPLICATION_ID),
            "type": key[0],
            "version": str(self._new_id()),
        }
        kept["options"] = [_with_defaults(option) for option in command.get("options") or ()]
        if guild_id is not None:
            kept["guild_id"] = str(guild_id)
        self._by_scope[guild_id][key] = kept
        return kept


def _with_defaults(option: dict[str, Any]) -> dict[str, Any]:
    kept = {"description": "", **option}
    if option.get("options"):
        kept["options"] = [_with_defaults(inner) for inner in option["options"]]
    return kept


class InteractionBook:
    """The interactions of the last quarter of an hour.

    Args:
        clock: Seconds since 1970.
        new_id: Makes ids.
    """

    def __init__(self, clock: Callable[[], float], new_id: Callable[[], int]) -> None:
        self._clock = clock
        self._new_id = new_id
        self._by_token: OrderedDict[str, Interaction] = OrderedDict()
        self._by_id: dict[int, Interaction] = {}

    def open(
        self,
        kind: InteractionKind,
        user: User,
        channel: Channel,
        data: dict[str, Any],
        source: Message | None = None,
    ) -> Interaction:
        """A new interaction, waiting for its callback."""
        token = token_urlsafe(48)
        interaction = Interaction(self._new_id(), token, kind, user, channel, data, self._clock(), source)
        self._by_token[interaction.token] = interaction
        self._by_id[interaction.id] = interaction
        self._forget()
        return interaction

    def get(self, interaction_id: int) -> Interaction:
        """The interaction, else 10062."""
        interaction = self._by_id.get(interaction_id)
        if interaction is None:
            raise unknown("interaction", 10062)
        return interaction

    def hidden(self, message_id: int) -> Message | None:
        """The ephemeral answer of that id; None if there is none."""
        found = (interaction.hidden.get(message_id) for interaction in self._by_id.values())
        return next((message for message in found if message is not None), None)

    def acknowledge(self, interaction_id: int, token: str, kind: int, data: dict[str, Any]) -> Interaction:
        """The interaction, now acknowledged; late or unknown 10062, twice 40060."""
        interaction = self.get(interaction_id)
        if interaction.token != token:
            raise unknown("interaction", 10062)
        if interaction.is_acknowledged:
            raise ApiError(400, 40060, "Interaction has already been acknowledged.")
        if self._clock() - interaction.created_at > ACKNOWLEDGE_S:
            raise unknown("interaction", 10062)
        interaction.callback = CallbackKind(kind)
        interaction.callback_data = data
        return interaction

    def by_token(self, token: str) -> Interaction:
        """The acknowledged interaction of a webhook token; unknown 10015, older than 15 min 50027."""
        interaction = self._by_token.get(token)
        if interaction is None or not interaction.is_acknowledged:
            raise unknown("Webhook", 10015)
        if self._clock() - interaction.created_at > TOKEN_LIFE_S:
            raise ApiError(401, 50027, "Invalid Webhook Token")
        return interaction

    def _forget(self) -> None:
        oldest_kept = self._clock() - 2 * TOKEN_LIFE_S
        while self._by_token:
            oldest = next(iter(self._by_token.values()))
            if len(self._by_token) <= _KEPT and oldest.created_at >= oldest_kept:
                return
            del self._by_token[oldest.token], self._by_id[oldest.id]


def command_data(
    command: dict[str, Any], path: Sequence[str], values: dict[str, Any], focused: str | None = None
) -> dict[str, Any]:
    """The `data` of a command's interaction.

    Args:
        command: As registered.
        path: Names of subcommand group and subcommand, if any.
        values: Option name -> value.
        focused: For autocomplete, the option being typed.

    Raises:
        ValueError: When an option or subcommand is unknown, or a required option is missing.
    """
    data = {"id": command["id"], "name": command["name"], "type": command["type"]}
    if "guild_id" in command:
        data["guild_id"] = command["guild_id"]
    options: list[dict[str, Any]] = command.get("options") or []
    chain = []
    for name in path:
        step = next((o for o in options if o["name"] == name and o["type"] in (1, 2)), None)
        if step is None:
            raise ValueError(f"command {command['name']!r}: has no subcommand {name!r}")
        chain.append(step)
        options = step.get("options") or []
    filled = _filled(command["name"], options, values, focused)
    for step in reversed(chain):
        filled = [{"name": step["name"], "type": step["type"], "options": filled}]
    data["options"] = filled
    return data


def _filled(
    name: str, options: list[dict[str, Any]], values: dict[str, Any], focused: str | None
) -> list[dict[str, Any]]:
    known = {option["name"]: option for option in options}
    for option in values:
        if option not in known:
            raise ValueError(f"command {name!r}: has no option {option!r}; known: {', '.join(known) or 'none'}")
    missing = [o["name"] for o in options if o.get("required") and o["name"] not in values]
    if missing and focused is None:
        raise ValueError(f"command {name!r}: required option {missing[0]!r} is missing")
    filled = []
    for key, value in values.items():
        kind = known[key]["type"]
        entry = {"name": key, "type": kind, "value": value if key == focused else _typed(key, kind, value)}
        if key == focused:
            entry["focused"] = True
        filled.append(entry)
    return filled


def _typed(name: str, kind: int, value: Any) -> Any:
    """`value` as Discord sends an option of that type: 4 integer, 5 boolean, 10 number, else text."""
    try:
        match kind:
            case 4:
                return int(value)
            case 5:
                return value if isinstance(value, bool) else str(value).lower() in ("true", "yes", "1", "on")
            case 10:
                return float(value)
            case _:
                return str(value)
    except ValueError as error:
        raise ValueError(f"option {name!r}: {value!r} is not a number") from error

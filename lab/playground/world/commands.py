"""Registry of application commands, and the data of an interaction that calls a command."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from lab.playground.world import defaults
from lab.playground.world.errors import ApiError, unknown_id
from lab.playground.world.rules import check_command


class CommandBook:
    """Commands registered by the bot, global commands and the guild's."""

    def __init__(self, new_id: Callable[[], int]) -> None:
        """No command is registered.

        Args:
            new_id: Makes ids.
        """
        self._new_id = new_id
        self._by_scope: dict[int | None, dict[tuple[int, str], dict[str, Any]]] = {None: {}, defaults.GUILD_ID: {}}

    def add_guild(self, guild_id: int) -> None:
        """Let the bot register commands in a further guild."""
        self._by_scope[guild_id] = {}

    def all_of(self, guild_id: int | None) -> list[dict[str, Any]]:
        """Commands of the guild, or the global commands for None."""
        return list(self._by_scope.get(guild_id, {}).values())

    def visible(self) -> list[dict[str, Any]]:
        """Commands that a user of the guild can call; the guild's own win over global commands of the same name."""
        return list({**self._by_scope[None], **self._by_scope[defaults.GUILD_ID]}.values())

    def find(self, name: str, kind: int = 1, guild_id: int = defaults.GUILD_ID) -> dict[str, Any]:
        """Command visible to a user of a guild, else `ValueError`."""
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
        """Create or replace a command, and return the result."""
        check_command(command)
        return self._keep(guild_id, command, self._scope(guild_id))

    def has(self, guild_id: int | None, command: dict[str, Any]) -> bool:
        """True if `command` would replace a command of the same name."""
        return _key(command) in self._scope(guild_id)

    def delete(self, guild_id: int | None, command_id: int) -> None:
        """Forget a command, else 10063."""
        scope = self._scope(guild_id)
        for key, command in scope.items():
            if command["id"] == str(command_id):
                del scope[key]
                return
        raise unknown_id("application command", 10063)

    def _scope(self, guild_id: int | None) -> dict[tuple[int, str], dict[str, Any]]:
        scope = self._by_scope.get(guild_id)
        if scope is None:
            raise unknown_id("Guild", 10004)
        return scope

    def _keep(
        self, guild_id: int | None, command: dict[str, Any], old: dict[tuple[int, str], dict[str, Any]]
    ) -> dict[str, Any]:
        key = _key(command)
        registered: dict[str, Any] = {
            "description": "",
            "default_member_permissions": None,
            "nsfw": False,
            **command,
            "integration_types": command.get("integration_types") or [0],
            "id": old[key]["id"] if key in old else str(self._new_id()),
            "application_id": str(defaults.APPLICATION_ID),
            "type": key[0],
            "version": str(self._new_id()),
        }
        registered["options"] = [_with_defaults(option) for option in command.get("options") or ()]
        if guild_id is not None:
            registered["guild_id"] = str(guild_id)
        self._by_scope[guild_id][key] = registered
        return registered


def _key(command: dict[str, Any]) -> tuple[int, str]:
    return int(command.get("type") or 1), str(command.get("name"))


def _with_defaults(option: dict[str, Any]) -> dict[str, Any]:
    completed = {"description": "", **option}
    if option.get("options"):
        completed["options"] = [_with_defaults(inner) for inner in option["options"]]
    return completed


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
    filled = _fill(command["name"], options, values, focused)
    for step in reversed(chain):
        filled = [{"name": step["name"], "type": step["type"], "options": filled}]
    data["options"] = filled
    return data


def _fill(
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
        entry = {"name": key, "type": kind, "value": value if key == focused else _convert(key, kind, value)}
        if key == focused:
            entry["focused"] = True
        filled.append(entry)
    return filled


def _convert(name: str, kind: int, value: Any) -> Any:
    """`value` in the form of an option's type: 4 integer, 5 boolean, 10 number, else text."""
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

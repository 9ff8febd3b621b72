"""REST: commands, interaction callbacks and their webhooks."""

from __future__ import annotations

from typing import Any

from lab.playground.acts.interactions import InteractionActs
from lab.playground.hub import Hub
from lab.playground.rest.drafts import apply_edit, read_draft
from lab.playground.rest.route import Call, Route
from lab.playground.world import defaults
from lab.playground.world.errors import ApiError, unknown
from lab.playground.world.interactions import CallbackKind, Interaction
from lab.playground.world.objects import Json
from lab.playground.world.records import Message

_WITH_MESSAGE = (CallbackKind.MESSAGE, CallbackKind.DEFERRED_MESSAGE)


class InteractionRoutes:
    """Handlers of `/applications`, `/interactions` and `/webhooks`."""

    def __init__(self, hub: Hub, acts: InteractionActs) -> None:
        """Keep the parts.

        Args:
            hub: The playground.
            acts: What they do.
        """
        self._hub = hub
        self._acts = acts

    def routes(self) -> list[Route]:
        """The routes."""
        everywhere = "/applications/{application_id}/commands"
        in_guild = "/applications/{application_id}/guilds/{guild_id}/commands"
        hook = "/webhooks/{application_id}/{token}"
        routes = [
            Route("POST", "/interactions/{interaction_id}/{token}/callback", self._callback, needs_token=False),
            Route("POST", hook, self._follow_up, major="token", needs_token=False),
            Route("GET", hook + "/messages/{target}", self._get, major="token", needs_token=False),
            Route("PATCH", hook + "/messages/{target}", self._patch, major="token", needs_token=False),
            Route("DELETE", hook + "/messages/{target}", self._delete, major="token", needs_token=False),
        ]
        for path in (everywhere, in_guild):
            routes += [
                Route("GET", path, self._commands),
                Route("PUT", path, self._replace_commands),
                Route("POST", path, self._put_command),
                Route("GET", path + "/{command_id}", self._command),
                Route("PATCH", path + "/{command_id}", self._patch_command),
                Route("DELETE", path + "/{command_id}", self._delete_command),
            ]
        return routes

    # interactions

    async def _callback(self, call: Call) -> Json | None:
        kind, data = int(call.payload["type"]), call.payload.get("data") or {}
        if kind not in tuple(CallbackKind):
            raise ApiError(400, 50035, "Invalid Form Body", {"type": {"_errors": []}})
        opened = self._hub.interactions.get(call.id("interaction_id"))
        draft = None
        if kind in _WITH_MESSAGE:
            deferred = kind == CallbackKind.DEFERRED_MESSAGE
            draft = read_draft(self._hub, opened.channel, data, call.uploads, may_be_empty=deferred)
        interaction = self._hub.interactions.acknowledge(opened.id, call.params["token"], kind, data)
        message = self._acts.acknowledge(interaction, draft)
        if kind == CallbackKind.UPDATE and message is not None:
            content = apply_edit(self._hub, interaction.channel, message, data, call.uploads)
            self._acts.change(interaction, message, content, None)
        if call.query.get("with_response") not in ("1", "true"):
            return None
        return self._callback_answer(interaction, message)

    def _callback_answer(self, interaction: Interaction, message: Message | None) -> Json:
        answer: Json = {
            "interaction": {"id": str(interaction.id), "type": int(interaction.kind)},
            "resource": {"type": interaction.callback},
        }
        if message is not None:
            payload = self._hub.payloads.message(message)
            answer["resource"]["message"] = payload
            answer["interaction"] |= {
                "response_message_id": payload["id"],
                "response_message_loading": interaction.is_deferred,
                "response_message_ephemeral": message.id in interaction.hidden,
            }
        return answer

    async def _follow_up(self, call: Call) -> Json:
        interaction = self._interaction(call)
        draft = read_draft(self._hub, interaction.channel, call.payload, call.uploads)
        return self._hub.payloads.message(self._acts.follow_up(interaction, draft))

    async def _get(self, call: Call) -> Json:
        return self._hub.payloads.message(self._target(call)[1])

    async def _patch(self, call: Call) -> Json:
        interaction, message = self._target(call)
        content = apply_edit(self._hub, interaction.channel, message, call.payload, call.uploads)
        self._acts.change(interaction, message, content, None)
        return self._hub.payloads.message(message)

    async def _delete(self, call: Call) -> None:
        self._acts.delete(*self._target(call))

    def _interaction(self, call: Call) -> Interaction:
        if call.id("application_id") != defaults.APPLICATION_ID:
            raise unknown("Webhook", 10015)
        return self._hub.interactions.by_token(call.params["token"])

    def _target(self, call: Call) -> tuple[Interaction, Message]:
        interaction, target = self._interaction(call), call.params["target"]
        if target == "@original":
            return interaction, self._acts.original(interaction)
        return interaction, self._acts.find(interaction, int(target))

    # commands

    def _scope(self, call: Call) -> int | None:
        if call.id("application_id") != defaults.APPLICATION_ID:
            raise unknown("Application", 10002)
        return call.id("guild_id") if "guild_id" in call.params else None

    def _announce(self) -> None:
        self._hub.tell_page("PLAYGROUND_COMMANDS", {"commands": self._hub.commands.visible()})

    async def _commands(self, call: Call) -> list[Json]:
        return self._hub.commands.all_of(self._scope(call))

    async def _replace_commands(self, call: Call) -> list[Json]:
        commands = self._hub.commands.replace_all(self._scope(call), call.payload)
        self._announce()
        return commands

    async def _put_command(self, call: Call) -> Json:
        command = self._hub.commands.put(self._scope(call), call.payload)
        self._announce()
        return command

    def _find(self, call: Call) -> dict[str, Any]:
        command_id = call.params["command_id"]
        for command in self._hub.commands.all_of(self._scope(call)):
            if command["id"] == command_id:
                return command
        raise unknown("application command", 10063)

    async def _command(self, call: Call) -> Json:
        return self._find(call)

    async def _patch_command(self, call: Call) -> Json:
        command = self._hub.commands.put(self._scope(call), {**self._find(call), **call.payload})
        self._announce()
        return command

    async def _delete_command(self, call: Call) -> None:
        self._hub.commands.delete(self._scope(call), call.id("command_id"))
        self._announce()

"""What tests and tools do to a running playground, from any thread, in plain values."""

from __future__ import annotations

import asyncio
import concurrent.futures
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, TypeVar

from lab.playground.acts.people import UserActs
from lab.playground.acts.waits import is_answer
from lab.playground.gateway.events import Event
from lab.playground.gateway.protocol import Gateway
from lab.playground.hub import Hub
from lab.playground.world import defaults
from lab.playground.world.faults import Fault
from lab.playground.world.interactions import Interaction
from lab.playground.world.payloads import Json
from lab.playground.world.records import ChannelKind, Upload
from lab.playground.world.request_log import RequestRecord

T = TypeVar("T")

_GRACE_S = 5.0


@dataclass(frozen=True, slots=True)
class Outcome:
    """How the bot answered an interaction.

    Attributes:
        id: The interaction.
        callback: Discord's callback type (4 message, 5 deferred, 6 and 7 component, 8 choices, 9 modal).
        data: The callback's data as the bot sent it.
        message: The original answer as far as it is known: for a deferred one still without text.
        ephemeral: Whether only the user sees it.
    """

    id: int
    callback: int
    data: Json = field(default_factory=dict)
    message: Json | None = None
    ephemeral: bool = False


class Driver:
    """Every act of people and of a misbehaving network; waits hold the calling thread, never the server's.

    Ids are integers. A caller's mistake is a `ValueError`, a refusal of Discord's an `ApiError`, the end of a wait a
    `TimeoutError`.
    """

    def __init__(self, hub: Hub) -> None:
        self._hub = hub
        self._acts = UserActs(hub)
        self._loop: asyncio.AbstractEventLoop | None = None

    # people

    def add_user(self, name: str) -> int:
        """Id of a new member."""
        return self.run(lambda: self._hub.add_user(name).id)

    def add_role(self, name: str, *user_ids: int) -> int:
        """Id of a new role, given to those users; the bot learns of it at its next IDENTIFY."""

        def act() -> int:
            role = self._hub.world.add_role(name)
            for user_id in user_ids:
                self._hub.world.user(user_id).roles.append(role.id)
            return role.id

        return self.run(act)

    def say(
        self,
        channel_id: int,
        text: str,
        *,
        user: int = defaults.YOU_ID,
        attachments: Sequence[tuple[str, bytes]] = (),
        reply_to: int | None = None,
    ) -> int:
        """Id of the new message; `attachments` are (file name, bytes)."""
        uploads = [Upload(name, data) for name, data in attachments]
        return self.run(lambda: self._acts.say(channel_id, text, user, attachments=uploads, reply_to=reply_to).id)

    def edit(self, channel_id: int, message_id: int, text: str) -> None:
        """Change a message's text."""
        self.run(lambda: self._acts.edit(channel_id, message_id, text))

    def delete(self, channel_id: int, message_id: int) -> None:
        """Delete a message."""
        self.run(lambda: self._hub.delete(self._hub.world.channel(channel_id), message_id))

    def react(
        self, channel_id: int, message_id: int, emoji: str, *, user: int = defaults.YOU_ID, remove: bool = False
    ) -> None:
        """Add or remove a reaction."""
        self.run(
            lambda: self._hub.react(
                self._acts.message(channel_id, message_id), self._hub.world.user(user), emoji, remove=remove
            )
        )

    def type_in(self, channel_id: int, *, user: int = defaults.YOU_ID) -> None:
        """Show a user as typing."""
        self.run(lambda: self._hub.type_in(*self._acts.place(channel_id, user)))

    def is_bot_typing(self, channel_id: int) -> bool:
        """Whether the bot shows as typing now."""
        world = self._hub.world
        return self.run(lambda: world.is_typing(world.channel(channel_id), world.bot))

    # places

    def create_guild(self, name: str, guild_id: int) -> None:
        """A second guild, which the bot learns of at its next IDENTIFY; it has everybody and no channel."""
        self.run(lambda: self._hub.create_guild(name, guild_id))

    def create_channel(self, name: str, *, forum: bool = False, guild_id: int = defaults.GUILD_ID) -> int:
        """Id of a new channel."""
        kind = ChannelKind.FORUM if forum else ChannelKind.TEXT
        return self.run(lambda: self._hub.create_channel(name, kind, guild_id).id)

    def create_thread(
        self,
        channel_id: int,
        name: str,
        *,
        user: int = defaults.YOU_ID,
        message_id: int | None = None,
        private: bool = False,
        with_bot: bool = True,
    ) -> int:
        """Id of a new thread, from a message if given; a private one takes the bot in unless told otherwise."""
        how = {"private": private, "with_bot": with_bot}
        return self.run(lambda: self._acts.start_thread(channel_id, name, user, message_id=message_id, **how).id)

    def open_dm(self, *, user: int = defaults.YOU_ID) -> int:
        """Id of the DM channel between a user and the bot."""
        return self.run(lambda: self._hub.world.dm_with(self._hub.world.user(user)).id)

    def change_thread(self, thread_id: int, *, archived: bool | None = None, locked: bool | None = None) -> None:
        """Archive, un-archive, lock or unlock a thread; None leaves as is."""
        self.run(lambda: self._acts.change_thread(thread_id, archived, locked))

    def delete_channel(self, channel_id: int) -> None:
        """Delete a channel with its threads, or a thread."""
        self.run(lambda: self._hub.delete_channel(self._hub.world.channel(channel_id)))

    # interactions

    def slash(
        self,
        channel_id: int,
        command: str,
        options: Json | None = None,
        *,
        user: int = defaults.YOU_ID,
        timeout_s: float = 3.0,
    ) -> Outcome:
        """How the bot acknowledged a slash command such as `remind list`; deferred counts."""
        return self._interact(
            lambda: self._acts.interactions.call(*self._acts.place(channel_id, user), command, options or {}), timeout_s
        )

    def complete(
        self,
        channel_id: int,
        command: str,
        focused: str,
        options: Json,
        *,
        user: int = defaults.YOU_ID,
        timeout_s: float = 3.0,
    ) -> list[Json]:
        """The choices the bot offers while `focused` is typed; its text so far is in `options`."""
        outcome = self._interact(
            lambda: self._acts.interactions.call(*self._acts.place(channel_id, user), command, options, focused),
            timeout_s,
        )
        return list(outcome.data.get("choices") or ())

    def call_on_message(
        self, channel_id: int, command: str, message_id: int, *, user: int = defaults.YOU_ID, timeout_s: float = 3.0
    ) -> Outcome:
        """How the bot acknowledged a context-menu command on a message."""

        def act() -> Interaction:
            channel, person = self._acts.place(channel_id, user)
            target = self._acts.message(channel_id, message_id)
            return self._acts.interactions.call_on(channel, person, command, target)

        return self._interact(act, timeout_s)

    def click(
        self,
        channel_id: int,
        message_id: int,
        custom_id: str,
        *,
        values: Sequence[str] | None = None,
        user: int = defaults.YOU_ID,
        timeout_s: float = 3.0,
    ) -> Outcome:
        """How the bot acknowledged a button of a message or of an ephemeral answer, or a select with `values`."""

        def act() -> Interaction:
            message = self._acts.pressable(channel_id, message_id)
            return self._acts.interactions.click(message, self._hub.world.user(user), custom_id, values)

        return self._interact(act, timeout_s)

    def submit_modal(self, interaction_id: int, values: dict[str, str], *, timeout_s: float = 3.0) -> Outcome:
        """How the bot acknowledged the modal it had shown; `values` by custom id."""
        return self._interact(
            lambda: self._acts.interactions.submit(self._hub.interactions.get(interaction_id), values), timeout_s
        )

    def wait_for_answer(self, interaction_id: int, *, timeout_s: float = 10.0) -> Json | None:
        """The interaction's original answer once it has its text; None when it is no message."""

        async def wait() -> Json | None:
            interaction = self._hub.interactions.get(interaction_id)
            message = await self._acts.interactions.wait_for_answer(interaction, timeout_s)
            return self._hub.payloads.message(message) if message is not None else None

        return self.wait(wait(), timeout_s)

    def answers(self, interaction_id: int) -> list[Json]:
        """Every answer to an interaction, follow-ups and ephemeral ones included, oldest first."""

        def act() -> list[Json]:
            interaction = self._hub.interactions.get(interaction_id)
            messages = [self._acts.interactions.find(interaction, i) for i in interaction.answer_ids]
            return [self._hub.payloads.message(message) for message in messages]

        return self.run(act)

    # looking and waiting

    def messages(self, channel_id: int, *, after: int = 0, limit: int = 1000) -> list[Json]:
        """Messages of a channel or thread after that id, oldest first."""

        def act() -> list[Json]:
            found = self._hub.world.channel(channel_id).history.after(after, limit)
            return [self._hub.payloads.message(message) for message in reversed(found)]

        return self.run(act)

    def wait_for_reply(
        self, channel_id: int, *, after: int, timeout_s: float = 10.0, until: Callable[[Json], bool] = is_answer
    ) -> Json:
        """The bot's first message newer than `after` that satisfies `until`, when posted or by a later edit."""
        return self.wait(self._acts.waits.message(channel_id, until, after, timeout_s), timeout_s)

    def settled_replies(
        self, channel_id: int, *, after: int, quiet_s: float = 1.0, timeout_s: float = 60.0
    ) -> list[Json]:
        """The bot's messages after `after`, once it has been quiet for `quiet_s` (no post, edit or typing)."""
        return self.wait(self._acts.waits.settled(channel_id, after, quiet_s, timeout_s), timeout_s)

    def wait_for(
        self, predicate: Callable[[Event], bool], *, after: int | None = None, timeout_s: float = 10.0
    ) -> Event:
        """The first event after number `after` (None: from now on) that satisfies `predicate`.

        Args:
            predicate: Runs on the server's thread.
            after: A number that `last_event` gave.
            timeout_s: Beyond it `TimeoutError`.
        """
        return self.wait(self._acts.waits.event(predicate, after, timeout_s), timeout_s)

    def wait_until_online(self, *, online: bool = True, timeout_s: float = 10.0) -> None:
        """Return once the bot has a gateway session with a socket (or none)."""
        self.wait(self._acts.waits.bot(online, timeout_s), timeout_s)

    def wait_for_typing(self, channel_id: int, *, timeout_s: float = 10.0) -> None:
        """Return once the bot shows as typing."""
        self.wait(self._acts.waits.typing(channel_id, timeout_s), timeout_s)

    def next_events(self, *, after: int, timeout_s: float = 10.0) -> list[Event]:
        """The events after number `after`, waiting for the first; [] when none comes."""
        return self.wait(self._acts.waits.events(after, timeout_s), timeout_s)

    def last_event(self) -> int:
        """Number of the newest event."""
        return self.run(lambda: self._hub.feed.seq)

    def subscribe(self, listener: Callable[[Event], None]) -> Callable[[], None]:
        """Call `listener` on the server's thread for every event; the result ends that. It must not block."""
        self.run(lambda: self._hub.feed.subscribe(listener))
        return lambda: self.run(lambda: self._hub.feed.unsubscribe(listener))

    def requests(self, method: str = "", path_part: str = "") -> list[RequestRecord]:
        """The bot's newest REST calls, oldest first."""
        return self.run(lambda: self._hub.requests.matching(method, path_part))

    def counters(self) -> dict[str, int]:
        """Counts since the start: messages, edits, interactions, sessions, faults, requests by status."""

        def act() -> dict[str, int]:
            by_status = {f"status_{status}": count for status, count in self._hub.requests.by_status.items()}
            faults = {"faults_fired": self._hub.faults.fired}
            return {**self._hub.counters, **self._hub.gateway.counters, **by_status, **faults}

        return self.run(act)

    # trouble

    def inject(self, kind: str, match: str = "", times: int = 1, **how: Any) -> None:
        """Arm a fault of REST calls; see `FaultQueue.inject`."""
        self.run(lambda: self._hub.faults.inject(kind, match, times, **how))

    def choose_faults(self, choose: Callable[[Gateway, str], Fault | None]) -> None:
        """Ask `choose` about each REST call, as `METHOD /path`, on the server's thread; it may harm the gateway too."""
        self.run(lambda: setattr(self._hub.faults, "chooser", partial(choose, self._hub.gateway)))

    def clear_faults(self) -> None:
        """Disarm every fault."""
        self.run(self._hub.faults.clear)

    def limit_rates(self, enabled: bool = True) -> None:
        """Switch real rate limiting on or off."""
        self.run(lambda: setattr(self._hub.limiter, "enabled", enabled))

    def drop(self, code: int = 4000, shard: int | None = None) -> int:
        """How many gateway sockets were closed with `code`; 1006 resets them. One shard's, or all."""
        return self.wait(self._hub.gateway.drop(code, shard), 10.0)

    def op7(self) -> int:
        """How many sockets were asked to reconnect."""
        return self.run(self._hub.gateway.request_reconnect)

    def op9(self, resumable: bool = False) -> int:
        """How many sockets were told that their session is invalid."""
        return self.run(lambda: self._hub.gateway.invalidate(resumable))

    def zombie(self) -> int:
        """How many sockets went silent without closing."""
        return self.run(self._hub.gateway.freeze)

    def gateway_faults(self, **faults: int | bool) -> None:
        """Set fields of `GatewayFaults`, such as `refuse_resumes=1`."""

        def act() -> None:
            for name, value in faults.items():
                if not hasattr(self._hub.gateway.faults, name):
                    raise ValueError(f"gateway fault {name!r}: unknown")
                setattr(self._hub.gateway.faults, name, value)

        self.run(act)

    def dispatch(self, name: str, payload: Json) -> None:
        """Send the bot any gateway event, malformed ones too."""
        self.run(lambda: self._hub.gateway.dispatch(name, payload))

    # threads

    def run(self, act: Callable[[], T]) -> T:
        """What `act` gives when the server's thread runs it."""

        async def call() -> T:
            return act()

        return self.wait(call(), 30.0)

    def wait(self, coroutine: Coroutine[Any, Any, T], timeout_s: float) -> T:
        """What `coroutine` gives on the server's loop; a little more than `timeout_s` is the longest wait."""
        loop = self._loop
        if loop is None or loop.is_closed():
            coroutine.close()
            raise RuntimeError("the playground is not running: call start() first")
        future = asyncio.run_coroutine_threadsafe(coroutine, loop)
        try:
            return future.result(timeout_s + _GRACE_S)
        except concurrent.futures.CancelledError as error:
            raise RuntimeError("the playground was stopped meanwhile") from error

    def _interact(self, act: Callable[[], Interaction], timeout_s: float) -> Outcome:
        async def interact() -> Outcome:
            interaction = await self._acts.interactions.wait_for_callback(act(), timeout_s)
            found = None
            if interaction.original_id is not None:
                found = self._hub.payloads.message(self._acts.interactions.original(interaction))
            return Outcome(
                id=interaction.id,
                callback=int(interaction.callback or 0),
                data=interaction.callback_data,
                message=found,
                ephemeral=interaction.original_id in interaction.hidden,
            )

        return self.wait(interact(), timeout_s)

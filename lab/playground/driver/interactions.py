"""Interactions of people with the bot: commands, buttons, modals."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from lab.playground.driver.calls import WAIT_S, ThreadCalls
from lab.playground.world import defaults
from lab.playground.world.interactions import Interaction
from lab.playground.world.objects import Json


@dataclass(frozen=True, slots=True)
class InteractionOutcome:
    """Answer of the bot to an interaction.

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


class InteractionDriver(ThreadCalls):
    """Driver of interactions: opens interactions and waits for the bot's reactions."""

    def slash(
        self,
        channel_id: int,
        command: str,
        options: Json | None = None,
        *,
        user: int = defaults.YOU_ID,
        timeout_s: float = WAIT_S,
    ) -> InteractionOutcome:
        """Call a slash command such as `remind list`; return the bot's acknowledgement, also if deferred."""
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
        timeout_s: float = WAIT_S,
    ) -> list[Json]:
        """The choices the bot offers while `focused` is typed; its text so far is in `options`."""
        outcome = self._interact(
            lambda: self._acts.interactions.call(*self._acts.place(channel_id, user), command, options, focused),
            timeout_s,
        )
        return list(outcome.data.get("choices") or ())

    def call_on_message(
        self, channel_id: int, command: str, message_id: int, *, user: int = defaults.YOU_ID, timeout_s: float = WAIT_S
    ) -> InteractionOutcome:
        """Call a context-menu command on a message; return the bot's acknowledgement."""

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
        timeout_s: float = WAIT_S,
    ) -> InteractionOutcome:
        """Click a button of a message or an ephemeral answer, or a select with `values`; return the acknowledgement."""

        def act() -> Interaction:
            message = self._acts.pressable(channel_id, message_id)
            return self._acts.interactions.click(message, self._hub.world.user(user), custom_id, values)

        return self._interact(act, timeout_s)

    def submit_modal(
        self, interaction_id: int, values: dict[str, str], *, timeout_s: float = WAIT_S
    ) -> InteractionOutcome:
        """Submit the modal shown by the bot, with `values` by custom id; return the acknowledgement."""
        return self._interact(
            lambda: self._acts.interactions.submit(self._hub.interactions.get(interaction_id), values), timeout_s
        )

    def wait_for_answer(self, interaction_id: int, *, timeout_s: float = WAIT_S) -> Json | None:
        """Original answer of the interaction, once complete; None if there is no message."""

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

    def _interact(self, act: Callable[[], Interaction], timeout_s: float) -> InteractionOutcome:
        async def interact() -> InteractionOutcome:
            interaction = await self._acts.interactions.wait_for_callback(act(), timeout_s)
            message = None
            if interaction.original_id is not None:
                message = self._hub.payloads.message(self._acts.interactions.original(interaction))
            return InteractionOutcome(
                id=interaction.id,
                callback=int(interaction.callback or 0),
                data=interaction.callback_data,
                message=message,
                ephemeral=interaction.original_id in interaction.hidden,
            )

        return self.wait(interact(), timeout_s)

"""Dispatcher of interactions: admitted by one rule, acknowledged at once, answered when the work is done."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterable
from typing import Any

import discord

from actors.discord.calls.button_view import view_of
from actors.discord.calls.gate import retry_after_s
from actors.discord.calls.parsing import fault_of
from actors.discord.calls.refusals import Part, describe, refusal, refused_parts
from actors.discord.calls.rest_calls import TRANSIENT, is_limit
from actors.discord.commands.answer import at_once, fit, one_line, show
from actors.discord.commands.replies import ServedInteractions
from actors.discord.incoming.arrival import Admitted, InteractionArrival, Origin
from actors.discord.incoming.intake import Intake
from actors.discord.incoming.places.channel_policy import ChannelPolicy
from actors.discord.timing import Timing, backoff
from actors.kernel import Host, ask_future
from actors.part import Answer, Invocation, Wording
from domain.policy.access import Standing
from domain.text.splitting import sendable
from messages.base import Address, Message, RequestId, UserId

log = logging.getLogger(__name__)

OWN_FOR_VIEWERS = ("help", "status")
"""Commands of the bot itself that only show a viewer's own information; parts name their own commands."""
TAKES_LONGER = "This takes longer than usual; the answer will appear here."
NO_ANSWER = (
    "There is no answer yet, and Discord accepts none here any more. The command may still succeed; look again later."
)
WENT_WRONG = "The command failed; the agent's log has the reason."

_ACKNOWLEDGE_S = 2.6
"""Discord waits for three seconds."""
_ATTEMPT_S = 1.2
_ALREADY = 40060
"""Discord's code for an interaction acknowledged before: then only the answer to the acknowledgement was lost."""


Errand = Callable[[Invocation], Awaitable[Answer]]
"""Action of a command. An errand sends all messages before returning, to keep the place in the channel; the result may
take longer."""


class CommandDispatcher(Wording):
    """Dispatcher of commands and buttons; lives on the loop and outlives each client."""

    def __init__(
        self,
        *,
        host: Host,
        intake: Intake,
        present: Callable[[str], str],
        timing: Timing,
        for_viewers: Iterable[str],
    ) -> None:
        """Begin without an interaction.

        Args:
            host: Sends messages to other actors, and receives their replies.
            intake: Holds the rule of admission, and the order in each channel.
            present: Makes text fit to be shown.
            timing: Every wait.
            for_viewers: Names of the parts' commands and menus that viewers may use.
        """
        self.tell = host.tell
        self.reply_to = host.address
        self.timing = timing
        self._for_viewers = dict.fromkeys((*OWN_FOR_VIEWERS, *for_viewers))
        self._intake = intake
        self._host = host
        self._served = ServedInteractions()
        self._present = present

    def is_open_to_viewers(self, name: str) -> bool:
        """True if people without the permission to run commands may use this command."""
        return name in self._for_viewers

    def inquire(self, to: Address, question: Message) -> asyncio.Future[Any]:
        """Ask an actor; return the future of the reply."""
        return ask_future(self._host, to, lambda **_: question)

    def sanitise(self, text: str) -> str:
        """Text by a person, made fit to be shown."""
        return self._present(sendable(text))

    def quote(self, text: str, chars: int) -> str:
        """Text by a person in a single line of at most `chars` characters, with all markdown escaped."""
        return one_line(self.sanitise(text), chars)

    def hears(self, interaction: discord.Interaction) -> bool:
        """True if the person who types a command may use all commands here, as far as known without asking Discord."""
        admitted = self._intake.judge(Origin.of_interaction(interaction))
        return isinstance(admitted, Admitted) and admitted.standing is Standing.MEMBER

    async def serve(
        self,
        interaction: discord.Interaction,
        errand: Errand,
        *,
        prepare: Callable[[], Awaitable[None]] | None = None,
        is_urgent: bool = False,
        for_viewers: bool = False,
    ) -> None:
        """Run `errand` for a person with permission, and show the result.

        Args:
            interaction: A command or a press of a button.
            errand: Called once, in order with the channel's messages.
            prepare: Awaited before the errand; later arrivals in the channel wait as well.
            is_urgent: True to go before messages still waiting in the channel.
            for_viewers: True for a button open to viewers; for commands the name decides.
        """
        if not self._served.is_new(interaction.id):
            return
        arrival = _Serving(
            interaction, lambda admitted: self._begin(errand, interaction, admitted, for_viewers), prepare
        )
        verdict = self._intake.judge(arrival.origin)
        # Before the first await, so that it keeps its place among the messages.
        if isinstance(verdict, Admitted) and (
            is_urgent or not (for_viewers or self._may(verdict.standing, interaction))
        ):
            arrival.accept(verdict)  # which refuses callers without permission, without any wait
        else:
            self._intake.take(arrival)
        answer = asyncio.ensure_future(_outcome(arrival.begun))
        try:
            if await self._acknowledge(interaction):
                await self._give(interaction, answer)
        finally:
            answer.cancel()

    @property
    def policy(self) -> ChannelPolicy:
        """Rules of channels."""
        return self._intake.policy

    def _begin(
        self, errand: Errand, interaction: discord.Interaction, admitted: Admitted, for_viewers: bool
    ) -> Awaitable[Answer]:
        """Result of an errand if its caller may use the command, else the refusal."""
        if for_viewers or self._may(admitted.standing, interaction):
            return errand(self._invocation(interaction, admitted))
        return at_once(self._for_members)

    def _invocation(self, interaction: discord.Interaction, admitted: Admitted) -> Invocation:
        return Invocation(
            request_id=RequestId(str(interaction.id)),
            reply_to=self.reply_to,
            window=admitted.window,
            audience=self._intake.window_map.audience_of(_whole_channel(interaction)),
            person_id=UserId(str(interaction.user.id)),
            person_name=interaction.user.display_name,
            is_member=admitted.standing is Standing.MEMBER,
            manages_messages=interaction.permissions.manage_messages,
            manages_server=interaction.guild_id is not None and interaction.permissions.manage_guild,
        )

    def _may(self, standing: Standing, interaction: discord.Interaction) -> bool:
        """True if a person with this standing may have the command run."""
        if standing is Standing.MEMBER:
            return True
        if interaction.type is not discord.InteractionType.application_command or interaction.command is None:
            return False
        return self.is_open_to_viewers(interaction.command.qualified_name)

    @property
    def _for_members(self) -> str:
        *names, last = (f"/{name}" for name in self._for_viewers)
        return f"Viewers cannot use this command; you may use {', '.join(names)} and {last}."

    # Discord

    async def _acknowledge(self, interaction: discord.Interaction) -> bool:
        """Announce an answer in time; True if Discord accepted the announcement."""
        loop = asyncio.get_running_loop()
        until = loop.time() + _ACKNOWLEDGE_S
        while True:
            try:
                async with asyncio.timeout_at(min(until, loop.time() + _ATTEMPT_S)):
                    await interaction.response.defer(ephemeral=True, thinking=True)
            except (*TRANSIENT, ValueError) as error:  # the last: an answer that is no JSON
                if isinstance(error, discord.HTTPException) and error.code == _ALREADY:
                    return True
                if refusal(error) is not None or is_limit(error) or loop.time() >= until:
                    log.warning("a command could not be acknowledged: %s", describe(error))
                    return False
                log.info("acknowledging a command failed and is tried once more: %s", describe(error))
                await asyncio.sleep(self.timing.backoff_s / 10)
            except Exception as error:
                if not interaction.response.is_done():
                    raise
                log.info("a command was acknowledged by an answer that could not be read: %s", fault_of(error))
                return True
            else:
                return True

    async def _give(self, interaction: discord.Interaction, answer: asyncio.Future[Answer]) -> None:
        done, _ = await asyncio.wait([answer], timeout=self.timing.answer_within_s)
        if not done:
            await self._show(interaction, Answer(TAKES_LONGER))
            done, _ = await asyncio.wait([answer], timeout=self.timing.command_life_s)
        await self._show(interaction, answer.result() if done else Answer(NO_ANSWER))

    async def _show(self, interaction: discord.Interaction, answer: Answer) -> None:
        """Show `answer` as the interaction's message; repeated calls change the same message, so retries are safe."""
        text, whole = fit(self.sanitise(answer.text).strip() or "…")
        files = (*([("answer.md", whole)] if whole else ()), *filter(None, (answer.file,)))
        attempts, view = self.timing.attempts, view_of(answer.buttons)
        for attempt in range(1, attempts + 1):
            try:
                async with asyncio.timeout(self.timing.call_timeout_s):
                    await show(interaction, text, files, view)
            except TRANSIENT as error:
                parts = refused_parts(error)
                if (Part.FILES in parts and files) or (Part.BUTTONS in parts and view is not None):
                    log.info("a part of an answer to a command is left out: %s", describe(error))
                    files, view = () if Part.FILES in parts else files, None if Part.BUTTONS in parts else view
                    continue
                if refusal(error) is not None or attempt == attempts:
                    log.warning("the result of a command cannot be shown: %s", describe(error))
                    return
                log.info("answering a command failed and is tried once more: %s", describe(error))
                told_s = (retry_after_s(error) if isinstance(error, discord.HTTPException) else None) or 0.0
                pause_s = backoff(attempt, self.timing.backoff_s, self.timing.backoff_limit_s)
                await asyncio.sleep(min(self.timing.command_life_s, max(pause_s, told_s)))
            except Exception as error:  # noqa: BLE001  # closed meanwhile, or shown by an answer that cannot be read
                log.warning("it is unknown if the result of a command is shown: %s", fault_of(error))
                return
            else:
                return


async def _outcome(begun: asyncio.Future[asyncio.Future[Answer]]) -> Answer:
    """Result of an errand; any failure becomes an answer, so the person does not wait for ever."""
    try:
        answer: object = await (await begun)
        if not isinstance(answer, Answer) or not isinstance(answer.text, str):
            raise TypeError(f"{answer!r}: an Answer is expected")
        return answer
    except Exception:
        log.exception("a command failed")
        return Answer(WENT_WRONG)


class _Serving(InteractionArrival):
    """Interaction on its way through the intake; `begun` holds the result after admission or refusal."""

    def __init__(
        self,
        interaction: discord.Interaction,
        begin: Callable[[Admitted], Awaitable[Answer]],
        prepare: Callable[[], Awaitable[None]] | None,
    ) -> None:
        self.origin = Origin.of_interaction(interaction)
        self.must_prepare = prepare is not None
        self.begun: asyncio.Future[asyncio.Future[Answer]] = asyncio.get_running_loop().create_future()
        self._begin = begin
        self._prepare = prepare

    async def prepare(self) -> None:
        if self._prepare is not None:
            await self._prepare()

    def accept(self, admitted: Admitted) -> None:
        if self.begun.done():  # too late: the person was told so
            return
        try:
            self.begun.set_result(asyncio.ensure_future(self._begin(admitted)))
        except Exception as error:  # noqa: BLE001  # it is raised where the answer is waited for
            self.begun.set_exception(error)

    def refuse(self, reason: str) -> None:
        if not self.begun.done():
            self.begun.set_result(asyncio.ensure_future(at_once(reason)))


def _whole_channel(interaction: discord.Interaction) -> discord.abc.Snowflake | discord.abc.Messageable | None:
    """Channel of an interaction, with permissions.

    The channel in an interaction has no permissions, so a closed channel missing from discord.py's cache
    would be taken for an open channel.
    """
    channel = interaction.channel
    if isinstance(channel, discord.abc.GuildChannel) and interaction.guild is not None:
        return interaction.guild.get_channel(channel.id) or discord.Object(channel.id)
    return channel

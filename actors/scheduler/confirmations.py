"""Confirmations of edits: the exact line, posted where it was asked for."""

from __future__ import annotations

import logging

from actors.kernel import Host
from actors.scheduler.config import SchedulerConfig
from actors.scheduler.state import SchedulerState
from domain.edit.lines import EditRefusedError
from domain.reminder.line import Reminder
from domain.reminder.naming import base32_key
from domain.reminder.share import EDITS
from domain.reminder.text import Confirmation, confirmation
from messages.base import RequestId, Surface, Window
from messages.discord import Delivered, DeliveryFailed, DeliveryRefused, PostMessage
from messages.scheduler import ConfirmationRelayed, RelayConfirmation
from messages.socket import Refused

log = logging.getLogger(__name__)

CONFIRMATION = "confirm-"
"""How the request ids of confirmations begin."""
SHOWN_CHARS = 60
"""Most of a faulty value that a refusal repeats."""
UNANSWERED_S = 600.0
"""One without an answer for so long was lost with an actor that crashed."""


class Confirmations:
    """Confirmations on their way; the file keeps each line, whatever becomes of them."""

    def __init__(self, host: Host, config: SchedulerConfig, state: SchedulerState) -> None:
        """None is on its way but what `state` knows.

        Args:
            host: The actor that it works for.
            config: Who shows them, and where those of an operator's commands go.
            state: What outlives the actor.
        """
        self._host = host
        self._config = config
        self._confirming = state.confirming

    def check_room(self, window: Window) -> None:
        """Return if one more may be on its way to `window`.

        Raises:
            EditRefusedError: too many are.
        """
        now = self._host.monotonic()
        for request_id, (_, since) in list(self._confirming.items()):
            if now - since > UNANSWERED_S:
                del self._confirming[request_id]
        if sum(to == window for to, _ in self._confirming.values()) >= EDITS:
            raise EditRefusedError(f"{EDITS} confirmations have not been shown here yet: try again in a minute")

    def post(
        self, window: Window, request_id: RequestId, what: str, reminder: Reminder, line: str, *notes: str
    ) -> None:
        """Post the exact line in the window.

        Of an operator's command, whose window nobody reads, where the reminder is said: its words are for no others.
        A command line that keeps nothing prints it, and has a running agent say it there.
        """
        if window.surface is Surface.CLI:
            said_in = reminder.window or self._config.channel
            if said_in is None and self._config.fires:
                return
            window = said_in or window
        self._send(window, request_id, confirmation(what, line, *(note for note in notes if note)))

    def relay(self, command: RelayConfirmation) -> None:
        """Post what a command line has said."""
        reason = ""
        if command.window.surface is Surface.CLI:
            reason = f"window {command.window.address.key}: nobody reads it"
        elif not command.line or "\n" in command.line:
            reason = f"line {command.line[:SHOWN_CHARS]!r}: must be one line of the file"
        if reason:
            self._host.tell(command.reply_to, Refused(request_id=command.request_id, reason=reason))
            return
        said = confirmation(command.what, command.line, *command.notes.splitlines())
        self._send(command.window, command.request_id, said)
        self._host.tell(command.reply_to, ConfirmationRelayed(request_id=command.request_id))

    def _send(self, window: Window, request_id: RequestId, said: Confirmation) -> None:
        posting = PostMessage(
            request_id=RequestId(f"{CONFIRMATION}{request_id}"),
            reply_to=self._host.address,
            window=window,
            text=said.text,
            exact=said.exact,
            nonce=base32_key(f"{window.address}\0{request_id}\0{said.text}".encode(), 16),
        )
        self._confirming[posting.request_id] = window, self._host.monotonic()
        self._host.tell(self._config.delivery, posting)

    def take(self, reply: Delivered | DeliveryFailed | DeliveryRefused) -> None:
        """Note what became of one."""
        self._confirming.pop(reply.request_id, None)
        if not isinstance(reply, Delivered):
            log.error("%s was not shown: %s", reply.request_id, reply.reason)

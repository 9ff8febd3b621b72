"""Confirmations of edits: the exact line, posted in the window of the request."""

from __future__ import annotations

import logging
from collections.abc import Callable
from contextlib import suppress

import msgspec

from actors.edited_file.file import reason_of
from actors.kernel import Host
from actors.scheduler.config import SchedulerConfig
from actors.scheduler.owed import OwedConfirmations
from actors.scheduler.state import SchedulerState
from domain.edit.lines import EditRefusedError
from domain.reminder.line import Reminder
from domain.reminder.naming import base32_key
from domain.reminder.owed import OwedConfirmation
from domain.reminder.share import EDITS
from domain.reminder.text import Confirmation, confirmation
from messages.base import RequestId, Surface, Window
from messages.discord import Delivered, DeliveryFailed, DeliveryRefused, PostMessage
from messages.scheduler import ConfirmationRelayed, RelayConfirmation
from messages.socket import Refused

log = logging.getLogger(__name__)

CONFIRMATION = "confirm-"
"""Prefix of the request ids of confirmations."""
SHOWN_CHARS = 60
"""Most characters of a faulty value in a refusal."""
LOGGED_S = 10.0
"""Seconds until a window's log has the shown confirmation, even for a window without recent messages."""
UNANSWERED_S = 600.0
"""Seconds without an answer after which a posting was lost with a crashed actor."""


class Confirmations:
    """Confirmations on their way; each is owed from before its edit until people have seen the post."""

    def __init__(self, host: Host, config: SchedulerConfig, state: SchedulerState) -> None:
        """Begin with the confirmations in `state` only.

        Args:
            host: The scheduler's actor.
            config: Address that shows confirmations, and the channel for an operator's commands.
            state: State beyond the actor's life.
        """
        self._host = host
        self._config = config
        self._confirming = state.confirming
        self._owed = OwedConfirmations(config.spare, config.disk)
        self._has_looked = False
        """True if the confirmations left by an earlier life are known."""
        self._late: dict[RequestId, OwedConfirmation] = {}
        """Confirmations decided by the next look at the file."""
        self._shown_at: dict[RequestId, float] = {}
        """Shown confirmations whose notes are kept until logged -> time of showing, in the kernel's steady seconds."""

    def check_room(self, window: Window) -> None:
        """Return if `window` has room for another confirmation.

        Raises:
            EditRefusedError: too many confirmations are on their way.
        """
        self._give_up_waiting()
        on_their_way = [to for to, _ in self._confirming.values()] + [owed.window for owed in self._late.values()]
        if on_their_way.count(window) >= EDITS:
            raise EditRefusedError(f"{EDITS} confirmations have not been shown here yet: try again in a minute")

    def prepare(
        self,
        window: Window,
        request_id: RequestId,
        what: str,
        reminder: Reminder,
        line: str,
        *notes: str,
        is_gone: bool = False,
    ) -> OwedConfirmation | None:
        """Confirmation with the exact line, for the window; None without readers.

        For an operator's command, in a window without readers, the target is the reminder's own window: its words are
        for no other window. A command line without a data root prints the line, and has a running agent post the line
        there.
        """
        if window.surface is Surface.CLI:
            said_in = reminder.window or self._config.channel
            if said_in is None and self._config.fires:
                return None
            window = said_in or window
        post = confirmation(what, line, *(note for note in notes if note))
        return msgspec.structs.replace(self._confirmation(window, request_id, post), line=line, is_gone=is_gone)

    def owe(self, owed: OwedConfirmation | None, instead_of: str = "") -> None:
        """Return once even a crash of this process cannot prevent the confirmation of an edit that takes place.

        A command line's short life owes no confirmation: its user sees the result.

        Args:
            owed: Confirmation to be posted, if any.
            instead_of: Line of the file that the edit replaces; its presence shows that an earlier edit took place.

        Raises:
            OSError: the confirmation is not safe, so there must be no edit.
        """
        if owed is None or not self._config.fires:
            return
        self._look_for_earlier_ones()
        for other in self._owed.confirming(instead_of):
            if other.request_id != owed.request_id:
                self._owed.keep(other.of_what_happened())
        self._owed.keep(owed)

    def doubt(self, request_id: RequestId, read: Callable[[], bytes | None]) -> None:
        """Note the refusal of a request: the edit is confirmed only if it stands in the file all the same.

        Args:
            read: Gives the file; None if unreadable, so the next look decides.
        """
        owed = self._owed.note_of(_confirming(request_id))
        if owed is None:
            return
        data = read()
        if data is None or owed.has_happened(data):
            self._late[owed.request_id] = owed
        else:
            self._owed.drop(owed.request_id)

    def send(self, owed: OwedConfirmation | None, *, is_late: bool = False) -> None:
        """Post a confirmation; before a late posting, look for an earlier copy."""
        if owed is None:
            return
        self._confirming[owed.request_id] = owed.window, self._host.monotonic()
        posting = PostMessage(
            request_id=owed.request_id,
            reply_to=self._host.address,
            window=owed.window,
            text=owed.text,
            exact=owed.exact,
            nonce=owed.nonce,
            look_first=is_late,
            look_since=owed.shown_since(self._host.now()) if is_late else None,
        )
        self._host.tell(self._config.delivery, posting)

    def begin_minute(self) -> None:
        """Remove notes of no further use, and post the confirmations owed for any content of the file.

        Raises:
            OSError: confirmations left by an earlier life cannot be read; the reading is tried again.
        """
        self._owed.tidy()
        self.forget_shown()
        self._look_for_earlier_ones()
        self._give_up_waiting()
        for owed in self._late_ones(are_known=True):
            self._post_late(owed)

    def make_up(self, data: bytes, make_durable: Callable[[], None]) -> None:
        """Post the confirmations of edits with an unknown end, as far as the edits took place.

        Args:
            data: Content of the file: no edit is under way, and what a crash left has been brought back.
            make_durable: Returns when the file would survive a power loss.

        Raises:
            OSError: the file is not safe; it is tried again.
        """
        fates = [(owed, owed.has_happened(data)) for owed in self._late_ones(are_known=False)]
        if any(has_happened for _, has_happened in fates):
            make_durable()
        for owed, has_happened in fates:
            if has_happened:
                self._post_late(owed)
            elif has_happened is not None:
                del self._late[owed.request_id]
                self._owed.drop(owed.request_id)

    def forget_shown(self, older_than_s: float = LOGGED_S) -> None:
        """Remove the notes of confirmations shown long ago; after a kill before this, the next life posts them.

        The next life finds the confirmations shown and logs this, in case of a missing log entry.
        """
        now = self._host.monotonic()
        for request_id in [each for each, since in self._shown_at.items() if now - since >= older_than_s]:
            del self._shown_at[request_id]
            self._owed.drop(request_id)

    def relay(self, command: RelayConfirmation) -> None:
        """Post a command line's message."""
        reason = ""
        if command.window.surface is Surface.CLI:
            reason = f"window {command.window.address.key}: it has no readers"
        elif not command.line or "\n" in command.line:
            reason = f"line {command.line[:SHOWN_CHARS]!r}: must be one line of the file"
        post = confirmation(command.what, command.line, *command.notes.splitlines())
        owed = self._confirmation(command.window, command.request_id, post)
        try:
            if not reason:
                self.owe(owed)
        except OSError as error:
            reason = reason_of(error)
        if reason:
            self._host.tell(command.reply_to, Refused(request_id=command.request_id, reason=reason))
            return
        self.send(owed)
        self._host.tell(command.reply_to, ConfirmationRelayed(request_id=command.request_id))

    def take(self, reply: Delivered | DeliveryFailed | DeliveryRefused) -> None:
        """Note the result of a confirmation's delivery."""
        self._confirming.pop(reply.request_id, None)
        if not isinstance(reply, Delivered):
            log.error("%s was not shown: %s", reply.request_id, reply.reason)
        if isinstance(reply, Delivered):
            self._shown_at[reply.request_id] = self._host.monotonic()
        elif isinstance(reply, DeliveryRefused) and not reply.for_now:
            self._owed.drop(reply.request_id)
        elif owed := self._owed.note_of(reply.request_id):
            owed = self._late[owed.request_id] = owed.of_what_happened()
            with suppress(OSError):  # then a later life asks the file, as it does of one that was never tried
                self._owed.keep(owed)

    def _look_for_earlier_ones(self) -> None:
        """Read the notes of an earlier life, before this life adds its own.

        Raises:
            OSError: the confirmations cannot be read.
        """
        if self._has_looked:
            return
        left = self._owed.earlier_notes()
        self._late.update((owed.request_id, owed) for owed in left if owed.request_id not in self._confirming)
        self._has_looked = True

    def _give_up_waiting(self) -> None:
        """Treat unanswered confirmations as lost and late; a late posting is looked for before another post."""
        now = self._host.monotonic()
        for request_id, (_, since) in list(self._confirming.items()):
            if now - since > UNANSWERED_S:
                del self._confirming[request_id]
                if owed := self._owed.note_of(request_id):
                    self._late[request_id] = owed.of_what_happened()

    def _late_ones(self, *, are_known: bool) -> list[OwedConfirmation]:
        """Late confirmations of edits certain to have taken place, or all other late confirmations."""
        noted = [(late, self._owed.note_of(late.request_id)) for late in self._late.values()]
        newest = [late if note is None or note.line else note for late, note in noted]
        return [owed for owed in newest if are_known is not bool(owed.line)]

    def _post_late(self, owed: OwedConfirmation) -> None:
        del self._late[owed.request_id]
        log.warning("%s is posted late", owed.request_id)
        self.send(owed, is_late=True)

    def _confirmation(self, window: Window, request_id: RequestId, post: Confirmation) -> OwedConfirmation:
        return OwedConfirmation(
            request_id=_confirming(request_id),
            window=window,
            text=post.text,
            exact=post.exact,
            nonce=base32_key(f"{window.address}\0{request_id}\0{post.text}".encode(), 16),
            at=self._host.now(),
        )


def _confirming(request_id: RequestId) -> RequestId:
    return RequestId(f"{CONFIRMATION}{request_id}")

"""Removal of forgotten turns from the facts' files: texts, facts, summaries, index rows, and the git history."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

from actors.facts.asking import Ask, Asking, Steps
from actors.facts.config import FactsConfig
from actors.facts.requests import Requests
from actors.facts.store.git_purge import is_purge_due
from actors.facts.store.journal import Journal
from actors.facts.store.naming import turn_entries
from messages.facts import FACTS, ChangeRows, RowsChanged
from messages.forget import ForgetDerived, answer_derived
from messages.socket import Refused


class Forgetting:
    """Removal for good of the entries of a window's turns; answered when files, index and history lack all of them."""

    def __init__(
        self,
        asking: Asking,
        config: FactsConfig,
        requests: Requests,
        journal: Journal,
        seal: Callable[[], None],
    ) -> None:
        """Begin without requests.

        Args:
            asking: Asks the index.
            config: Address of the index, and the folder.
            requests: Removes entries with all derived data.
            journal: Knows the words of turns with owed work.
            seal: Takes the words of removed entries out of the runtime's own files.
        """
        self._asking = asking
        self._config = config
        self._requests = requests
        self._journal = journal
        self._seal = seal
        self._early: list[ForgetDerived] | None = []
        """Requests from before the catalogue knew all entries; None from then on."""
        self._waiting: list[tuple[ForgetDerived, int]] = []
        """Requests that wait for a commit without the forgotten files, with the number of removed entries."""

    def begin(self, message: ForgetDerived) -> None:
        """Remove the entries of the turns; a request that cannot be carried out now is refused with the reason.

        A request before the catalogue knows all entries waits for `begin_early`, or it would find no entry to remove.
        """
        if self._early is not None:
            self._early.append(message)
            return
        try:
            self._remove(message)
        except (OSError, UnicodeError) as error:
            self._refuse(message, str(error))

    def begin_early(self) -> None:
        """Carry out early requests: the catalogue knows all entries now."""
        early, self._early = self._early or [], None
        for message in early:
            self.begin(message)

    def _remove(self, message: ForgetDerived) -> None:
        conversation = f"{message.window.surface.value}/{message.window.id}"
        before, turns = self._requests.ids_of(conversation), [*self._entries(message, conversation)]
        _, note = self._requests.removal.remove(turns, before if message.whole_window else ())
        gone = before - self._requests.ids_of(conversation)
        for entry_id in (*turns, *gone):
            self._journal.forget(entry_id)
        self._seal()
        self._asking.begin(self._finish(message, tuple(gone), note))

    def note_commit(self, trouble: str) -> None:
        """Answer requests that wait for a commit, after success or failure."""
        if not trouble and is_purge_due(self._config.root):
            return
        waiting, self._waiting = self._waiting, []
        for message, count in waiting:
            self._answer(message, count, trouble)

    @staticmethod
    def _entries(message: ForgetDerived, conversation: str) -> Iterator[str]:
        for turn in dict.fromkeys(event.turn_id or event.event_id for event in message.events):
            yield from turn_entries(f"{conversation} {turn}")

    def _finish(self, message: ForgetDerived, gone: tuple[str, ...], note: str) -> Steps:
        forget_rows = partial(ChangeRows, model="", drop=gone, for_good=True)
        (answer,) = yield (Ask(self._config.index, forget_rows),)
        if not isinstance(answer, RowsChanged):
            reason = f"the index of the facts was not changed: {getattr(answer, 'reason', 'no answer')}"
            self._refuse(message, reason)
        elif is_purge_due(self._config.root) and self._config.enable_git_versioning:
            self._waiting.append((message, len(gone)))
        else:
            self._answer(message, len(gone), note)

    def _refuse(self, message: ForgetDerived, reason: str) -> None:
        self._asking.tell(message.reply_to, Refused(request_id=message.request_id, reason=reason))

    def _answer(self, message: ForgetDerived, count: int, note: str) -> None:
        self._asking.tell(
            message.reply_to,
            answer_derived(message, FACTS.kind, count, note),
        )

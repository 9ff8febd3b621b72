"""Compaction of a window's history: cuts, and the words of another part at the head, asked for before each cut."""

from __future__ import annotations

import logging
from collections.abc import Callable
from functools import partial

from actors.context.config import ContextConfig
from actors.context.host import WindowHost
from actors.context.turn_run import Phase, TurnRun
from actors.kernel import MakeQuestion
from domain.log.event import Kind
from domain.text.token_estimate import weighed_chars
from domain.turn.compaction import CUT, CompactionPlan, parts_of
from domain.turn.prompt import is_block
from messages.base import RequestId, TurnId, flaw_of
from messages.socket import Refused
from messages.turn import CompactionReady, CompactWindow, PrepareCompaction, WindowCompacted

log = logging.getLogger(__name__)

KEPT_BY_COMMAND = 2
"""Turns that stay when a user asks for a cut."""
NOT_CUT = "the history was not cut: {reason}"
Reply = CompactionReady | Refused | None


class CompactionClient:
    """Client of the part that prepares compactions. Whatever comes of the question, the turn goes on, in bounded time.

    The head of the history is the same in all requests until the next cut, or until words were taken back. Turns whose
    cut was not agreed on are left out of requests, and asked about again.
    """

    def __init__(self, host: WindowHost, config: ContextConfig) -> None:
        """Begin without a question.

        Args:
            host: The actor of the window.
            config: Whom to ask, and how long to wait.
        """
        self._host = host
        self._config = config
        self._asked_about: tuple[str, int, str] | None = None
        """Log, withdrawals and last cut of the head; None before the first question."""
        self._let_pass = False
        """True if the part did not answer the last time, so that the turn does not wait long for the next answer."""
        self._command: tuple[CompactWindow, RequestId] | None = None
        """Command under way, with the question's id."""
        self.head = ""

    @property
    def is_busy(self) -> bool:
        """True while a compaction by command is under way."""
        return self._command is not None

    def ask_head(self, run: TurnRun, then: Callable[[], None]) -> None:
        """Ask for the head of the history if it may have changed or turns have to go, then go on."""
        if self._config.compactor is None or run.is_off_record:
            then()
            return
        plan = self._host.conversation.compaction.plan(run.turn_id, weighed_chars(self.head))
        if plan is None and self._asked_about == self._subject:
            then()
            return
        wait_s = self._patience_s(plan)
        make = self._question(plan, run.audience, may_run=run.may_run)
        compactor = self._config.compactor(self._host.window)
        run.phase = Phase.COMPACTING
        run.request_id = self._host.ask(compactor, make, wait_s, partial(self._take_head, plan, then))

    def _take_head(self, plan: CompactionPlan | None, then: Callable[[], None], reply: Reply) -> None:
        """Take the answer for a waiting turn; an unsound answer counts as no answer."""
        ready = self._check_reply(reply)
        if ready is not None:
            self.head = ready.handover
        if ready is not None and plan is not None and ready.cut:
            self._cut(plan)
        elif plan is not None:
            self._host.conversation.compaction.leave_out(plan)
        if ready is not None:
            self._asked_about, self._let_pass = self._subject, False
        elif plan is not None or reply is None:
            self._let_pass = True
        then()

    def _patience_s(self, plan: CompactionPlan | None) -> float:
        """Seconds that a turn waits for an answer: long for a cut, and for the first head of a log in this life."""
        if self._let_pass:
            return self._config.compaction_glance_s
        if plan is not None:
            return self._config.compaction_deadline_s
        is_first = self._asked_about is None
        return self._config.first_deadline_s if is_first else self._config.compaction_glance_s

    def compact(self, command: CompactWindow) -> None:
        """Cut the history on a user's command, when the part is ready."""
        plan = self._host.conversation.compaction.plan_but(KEPT_BY_COMMAND)
        if self._config.compactor is None:
            self._refuse(command, "compaction is not enabled here")
        elif self.is_busy:
            self._refuse(command, "a compaction is already running")
        elif plan is None:
            self._refuse(command, f"the conversation has at most {KEPT_BY_COMMAND} turns, so there is nothing to cut")
        else:
            make = self._question(plan, plan.cut[-1].audience, words=command.words)
            compactor, deadline_s = self._config.compactor(self._host.window), self._config.compaction_deadline_s
            self._command = command, self._host.ask(compactor, make, deadline_s, partial(self._compact, command, plan))

    def _compact(self, command: CompactWindow, plan: CompactionPlan, reply: Reply) -> None:
        """Cut, or give the reason not to, once the part has answered or is late."""
        self._command = None
        ready = self._check_reply(reply)
        if ready is None or not ready.cut:
            reason = reply.reason if isinstance(reply, Refused) else ready.trouble if ready is not None else ""
            self._refuse(command, NOT_CUT.format(reason=reason or "no handover was ready in time"))
            return
        self.head = ready.handover
        self._cut(plan)
        self._asked_about = self._subject
        done = WindowCompacted(
            request_id=command.request_id,
            cut_turns=len(plan.cut),
            kept_turns=plan.kept_turns,
            head=parts_of(ready.handover),
            trouble=ready.trouble,
        )
        self._host.tell(command.reply_to, done)

    def forget(self) -> None:
        """Forget all knowledge of the history: another log begins, or the log is lost."""
        if self._command is not None:
            command, request_id = self._command
            self._command = None
            self._host.withdraw(request_id)
            self._refuse(command, NOT_CUT.format(reason="a new window was started"))
        self._asked_about, self.head = None, ""

    @property
    def _subject(self) -> tuple[str, int, str]:
        conversation = self._host.conversation
        return self._host.log_path, conversation.withdrawals, conversation.compaction.kept_from

    def _question(
        self,
        plan: CompactionPlan | None,
        audience: str,
        *,
        words: str = "",
        may_run: bool = True,
    ) -> MakeQuestion:
        host = self._host
        return partial(
            PrepareCompaction,
            window=host.window,
            log=host.log_path,
            kept_from=host.conversation.compaction.kept_from,
            first_kept=plan.first_kept if plan is not None else TurnId(""),
            spoken=host.read_spoken(host.log_path, plan.cut[0].id, plan.cut[-1].id) if plan is not None else (),
            words=words,
            audience=audience,
            may_run=may_run,
        )

    def _check_reply(self, reply: Reply) -> CompactionReady | None:
        """Reply in usable form; None for a late or unsound reply."""
        if reply is None:
            log.warning("%s: no handover for the cut history was ready in time", self._host.address)
            return None
        flaw = flaw_of(reply)
        if not flaw and isinstance(reply, CompactionReady) and reply.handover and not is_block(reply.handover):
            flaw = "the handover is not the line INJECTED_CONTEXT_<NAME> and one line of JSON"
        if flaw or isinstance(reply, Refused):
            log.warning("%s: the handover for the cut history cannot be used: %s", self._host.address, flaw or reply)
            return None
        return reply

    def _cut(self, plan: CompactionPlan) -> None:
        words = f"{len(plan.cut)} earlier turns are shown to the model no more"
        self._host.record(Kind.SYSTEM, words, {"what": CUT, "first_kept": plan.first_kept}, sync=True)

    def _refuse(self, command: CompactWindow, reason: str) -> None:
        self._host.tell(command.reply_to, Refused(request_id=command.request_id, reason=reason))

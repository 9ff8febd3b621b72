"""Slips of the model in a reply: calls written as text, skills called like tools, and empty answers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final

import msgspec

from actors.context.asking.contributions import Contributions
from actors.context.host import WindowHost
from actors.context.turn_run import TurnRun
from domain.text.answer.correction import AMONG_WORDS, NO_WORDS, correction, shows_tools
from domain.text.answer.quotation import is_quoted
from domain.text.answer.reading import tools_of
from domain.text.answer.skill_call import bash_call, script_paths
from domain.text.answer.slip import bare_answer, find_slip, imitates_person, is_about_calls
from domain.text.wish import Wish, find_wish
from domain.turn.bash_tool import BASH_TOOL, is_failure
from messages.model import ChatMessage, ModelReply, Role, StopReason, ToolCall

MOST_SLIPS: Final = 3
"""In a turn, without a runnable command."""
MOST_REPEATED: Final = 600
"""Characters of an output repeated in a correction."""
GAVE_UP = (
    "The model wrote calls of tools that do not exist instead of an answer. Please ask again, perhaps in other words."
)


class Slips:
    """Reader of a turn's replies as the model meant them."""

    def __init__(
        self,
        host: WindowHost,
        contributions: Contributions,
        *,
        may_expand: bool,
    ) -> None:
        """Begin without a reply.

        Args:
            host: The actor of the window.
            contributions: Of the turn, with the offered skills.
            may_expand: True if the model may ask for records.
        """
        self._host = host
        self._contributions = contributions
        self._may_expand = may_expand

    def read(
        self, run: TurnRun, reply: ModelReply, messages: Callable[[], Sequence[ChatMessage]]
    ) -> tuple[ModelReply, str]:
        """The reply as meant, and the line of correction; empty for a sound reply.

        Args:
            run: The turn's.
            reply: Whole.
            messages: Returns the content of the request.
        """
        if self._is_about_calls(run):
            return reply, ""
        skills = self._contributions.skills()
        slip = None if reply.tool_calls else find_slip(reply.text, tools_of((BASH_TOOL,)), skills)
        if slip is not None and is_quoted(reply.text, slip.calls, messages()):
            return reply, ""
        if slip is not None and not slip.is_alone:
            run.slips += 1
            return reply, AMONG_WORDS
        echoes = slip is None and not reply.tool_calls and shows_tools(reply.text)
        if echoes and NO_WORDS in run.corrections:
            run.slips = MOST_SLIPS + 1  # Tools are never shown to people.
        asks = echoes or (imitates_person(reply.text) and not reply.tool_calls)
        read = meant_reply(reply, slip.calls if slip else (), skills)
        run.slips += read.tool_calls != reply.tool_calls and has_no_command(read)
        return read, "" if read.tool_calls or read.refusal else self._correction(run, read, skills, asks=asks)

    def wish(self, run: TurnRun, reply: ModelReply) -> Wish | None:
        """Wish to see a record in place of an answer."""
        return find_wish(reply.text, is_topic=self._is_about_calls(run)) if self._may_expand else None

    def _correction(self, run: TurnRun, reply: ModelReply, skills: Mapping[str, Sequence[str]], *, asks: bool) -> str:
        """Line of correction for an unusable reply; empty if the turn has had the same line before."""
        if not run.may_run or reply.stop_reason is not StopReason.STOP:
            return ""
        results = [step for step in self._host.conversation.turn(run.turn_id).steps if step.role is Role.TOOL]
        has_failed = bool(results) and is_failure(results[-1].text)
        remark = correction(reply.text, script_paths(skills), has_run=bool(results), has_failed=has_failed)
        line = NO_WORDS if asks else remark
        if line in run.corrections:
            return ""
        run.corrections.add(line)
        return f"{line} The last output:\n{results[-1].text[-MOST_REPEATED:]}" if line == NO_WORDS and results else line

    def _is_about_calls(self, run: TurnRun) -> bool:
        return is_about_calls(self._host.conversation.turn(run.turn_id).text)


def meant_reply(
    reply: ModelReply, written: Sequence[tuple[str, str]], skills: Mapping[str, Sequence[str]]
) -> ModelReply:
    """Reply with the calls parsed from its text, and with calls of bash in place of calls of skills.

    Args:
        reply: Whole.
        written: Calls parsed from the reply's text; empty for words.
        skills: Name of each skill that the instructions offer -> commands that show its use.
    """
    if written:
        calls = tuple(
            ToolCall(id=f"call_{reply.request_id}_{number}", name=name, arguments_json=arguments)
            for number, (name, arguments) in enumerate(written, 1)
        )
        reason = reply.stop_reason if reply.stop_reason is StopReason.LENGTH else StopReason.TOOL_CALLS
        reply = msgspec.structs.replace(reply, text="", tool_calls=calls, stop_reason=reason)
    commands = tuple(bash_call(call, skills) for call in reply.tool_calls)
    return msgspec.structs.replace(reply, text=bare_answer(reply.text), tool_calls=commands)


def has_no_command(reply: ModelReply) -> bool:
    """True if the reply has calls, but no call of bash."""
    return bool(reply.tool_calls) and all(call.name != BASH_TOOL.name for call in reply.tool_calls)

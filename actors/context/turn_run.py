"""State of the turn in hand: awaited request, and results so far."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from actors.context.config import ContextConfig
from domain.log.metadata import MetaValue
from domain.text.answer.reading import is_written
from domain.text.answer.skill_call import not_a_tool
from domain.turn.bash_tool import BashArguments, read_call
from domain.turn.call_result import JUST_RUN, NOT_ALLOWED, TOO_MANY, TURNED_OFF
from domain.turn.turn import Aside, Turn
from messages.base import EventId, RequestId, TurnId
from messages.model import ChatMessage, ModelReply, OwnThoughts, Role, ToolCall, Usage
from messages.shell import BashResult
from messages.turn import LoggedEvent

NO_REQUEST = RequestId("")


class Phase(StrEnum):
    """State of a turn: source of the awaited answer."""

    COMPACTING = "compacting"
    """The compaction gate."""
    PREPARING = "preparing"
    """Contributors."""
    THINKING = "thinking"
    """The model."""
    ACTING = "acting"
    """The shell."""
    WORDING = "wording"
    """Phase of the part that words command results."""
    EXPANDING = "expanding"
    """A contributor, for the whole of a record."""


def result_meta(result: BashResult) -> dict[str, MetaValue]:
    """Metadata about a command for the event of the output."""
    meta: dict[str, MetaValue] = {"outcome": result.outcome.value, "seconds": round(result.duration_s, 3)}
    if result.exit_code is not None:
        meta["exit_code"] = result.exit_code
    if result.full_output_path:
        meta["full_output"] = result.full_output_path
    return meta


@dataclass(slots=True)
class TurnRun:
    """State that only lives while a turn runs; a crash loses the state and the log brings the turn back."""

    turn_id: TurnId
    phase: Phase = Phase.PREPARING
    request_id: RequestId = NO_REQUEST
    """Id of the awaited request; answers to any other request are stale."""
    wait_id: RequestId = NO_REQUEST
    """Id of the wait for contributors."""
    audience: str = ""
    """Readers of the window, as the turn's message said."""
    tables: tuple[str, ...] = ()
    """Ids of the settings' channel tables in force, the nearest first."""
    may_run: bool = True
    """True if the model is offered the tool."""
    is_off_record: bool = False
    """True for a turn without words in any log: the model alone sees the words."""
    usage: Usage = field(default_factory=Usage)
    """Usage of replies, not recorded in an event yet."""
    system_prompt: str = ""
    """The same in all requests of the turn; empty before the first."""
    slips: int = 0
    """Replies with calls as text and without a runnable call."""
    last_command: str = ""
    """Last command to run without an error; empty without such a command."""
    last_output: str = ""
    """End of the last command's output."""
    withheld: set[str] = field(default_factory=set)
    """Commands not repeated at once; a command is held back only once."""
    corrections: set[str] = field(default_factory=set)
    """Lines of correction for the model; each line is given only once."""
    expansions: int = 0
    """Number of the model's requests to see more of a record."""
    asides: list[Aside] = field(default_factory=list)
    """Requests for records with their answers."""
    thoughts: dict[EventId, OwnThoughts] = field(default_factory=dict)
    """Event of the model's words before calls -> its thoughts, absent from all logs and later turns."""
    calls_left: int = 0
    """Number of commands still allowed."""
    calls: deque[ToolCall] = field(default_factory=deque)
    """Tool calls of this round not run yet; the first may be running."""
    is_again: bool = False
    """True until the first of the calls that an earlier life left without a result is run or given up."""
    logged: list[LoggedEvent] = field(default_factory=list)
    stand_in: str = ""
    """Model that answers in place of another, once people were told."""
    notices: list[EventId] = field(default_factory=list)
    """Logged notices to show before the answer."""

    @classmethod
    def of(cls, turn: Turn, most_calls: int) -> TurnRun:
        """State at the beginning of a turn, with an earlier life's calls without a result."""
        left = deque(turn.unanswered_calls.values())
        return cls(
            turn_id=turn.id,
            audience=turn.audience,
            may_run=turn.may_run,
            is_off_record=turn.is_off_record,
            tables=turn.tables,
            calls_left=most_calls - turn.calls + len(left),
            calls=left,
            is_again=bool(left),
        )

    @property
    def is_kept(self) -> bool:
        """True if the log has the turn's words."""
        return not self.is_off_record

    def take_again(self) -> bool:
        """True once, for the call possibly begun by an earlier life."""
        is_again, self.is_again = self.is_again, False
        return is_again

    def next_call(self, config: ContextConfig, skills: Mapping[str, Sequence[str]]) -> BashArguments | str:
        """Arguments of the next call of the round, or the reason, for the model, not to run the call.

        Args:
            config: The limits.
            skills: Name of each skill -> commands that show its use.
        """
        if config.tool is None:
            return TURNED_OFF
        if self.calls_left <= 0:
            return TOO_MANY.format(most=config.max_calls)
        if not self.may_run:
            return NOT_ALLOWED
        read = read_call(self.calls[0], not_a_tool(self.calls[0].name, skills))
        if isinstance(read, str) or read.command != self.last_command or read.command in self.withheld:
            return read
        if not is_written(self.calls[0]):
            return read
        self.withheld.add(read.command)
        return JUST_RUN.format(output=self.last_output)

    def add_aside(self, after_steps: int, answer: str, text: str) -> None:
        """Add the model's words, if any, and the answering text to the next requests."""
        line = (ChatMessage(role=Role.ASSISTANT, text=answer),) if answer.strip() else ()
        self.asides.append(Aside(after_steps, (*line, ChatMessage(role=Role.USER, text=text))))

    def keep_thoughts(self, event_id: EventId, reply: ModelReply) -> None:
        """Add the thoughts of a reply with calls to the next requests, for a provider that may want them back."""
        if reply.thoughts_json:
            self.thoughts[event_id] = OwnThoughts(model=reply.model, fields_json=reply.thoughts_json)

    def awaits(self, request_id: RequestId, phase: Phase) -> bool:
        """True if the turn waits for an answer to `request_id`."""
        return self.phase is phase and self.request_id == request_id

    def count(self, usage: Usage) -> None:
        """Add the usage of a reply."""
        self.usage += usage

    def take_usage(self) -> dict[str, MetaValue]:
        """Usage for the metadata of the next event, not recorded in an event yet; empty without usage."""
        used, self.usage = self.usage, Usage()
        if used == Usage():
            return {}
        return {
            "prompt_tokens": used.prompt_tokens,
            "completion_tokens": used.completion_tokens,
            "cost_usd": used.cost_usd,
            **({"cached_tokens": used.cached_tokens} if used.cached_tokens else {}),
        }

    def model_meta(self, reply: ModelReply) -> dict[str, MetaValue]:
        """Metadata about the model for the event of the message, with all usage until then."""
        nothing: dict[str, MetaValue] = {"prompt_tokens": 0, "completion_tokens": 0, "cost_usd": 0.0}
        return {"model": reply.model, "stop": reply.stop_reason.value, **nothing, **self.take_usage()}


def left_out_notice(reply: ModelReply) -> tuple[str, dict[str, MetaValue]]:
    """Text and metadata of the notice about refused parts of a request."""
    text = f"-# Left out, because the model's server refused it: {reply.left_out}. /new begins a new conversation."
    return text, {"what": "left-out", "notice": True}


def stand_in_notice(reply: ModelReply) -> tuple[str, dict[str, MetaValue]]:
    """Text and metadata of the notice about a model that answers in place of another."""
    return f"-# {reply.stands_in}.", {"what": "stands-in", "notice": True}

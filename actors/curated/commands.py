"""Slash commands of curated memory, in one group with the commands of the log memory."""

from __future__ import annotations

from typing import Any

from actors.part import Answer, Argument, ArgumentValues, Command, Invocation, Wording, Words
from domain.curated.wording import lines
from messages.base import Message
from messages.curated import (
    CURATED,
    ClaudeImported,
    FactsFlushed,
    FactStaged,
    FlushFacts,
    ImportClaude,
    InjectionSwitched,
    PagesVerified,
    RememberFact,
    SwitchInjection,
    VerifyPages,
)
from messages.curated_view import (
    CuratedDescribed,
    DescribeCurated,
    FactsRecalled,
    FaultsListed,
    ListFaults,
    ListPages,
    ListStale,
    ListTraces,
    PagesListed,
    RecallFacts,
    ShowTrace,
    StaleListed,
    TracesListed,
)

GROUP = "Look into what I remember"
_SCOPES = ("global", "project")


def _answer(reply: Message, wording: Wording) -> Answer:
    return Answer("\n".join(lines(reply, wording.prefix)))


def words(message: type[Message]) -> Words[Any]:
    """Wording of the reply to a request."""
    return Words(reply=_REPLIES[message], answer=_answer)


def _command(
    name: str,
    description: str,
    message: Any,
    *arguments: Argument,
    **fixed: object,
) -> Command[Any]:
    def request(call: Invocation, values: ArgumentValues) -> Message:
        fields = {argument.name: values[argument.name] for argument in arguments if values.get(argument.name)}
        filled: Message = message(
            request_id=call.request_id, reply_to=call.reply_to, window=call.window, **fields, **fixed
        )
        return filled

    return Command(
        name=f"memory {name}",
        group_description=GROUP,
        description=description,
        arguments=arguments,
        to=CURATED,
        request=request,
        reply=_REPLIES[message],
        answer=_answer,
        keeps_words=message is RememberFact,
    )


def _word(name: str, description: str, longest: int, *, required: bool = True) -> Argument:
    choices = _SCOPES if name == "scope" else ()
    return Argument(name=name, description=description, longest=longest, required=required, choices=choices)


_REPLIES: dict[type[Message], type[Message]] = {
    DescribeCurated: CuratedDescribed,
    ListPages: PagesListed,
    VerifyPages: PagesVerified,
    RememberFact: FactStaged,
    FlushFacts: FactsFlushed,
    ListFaults: FaultsListed,
    ListTraces: TracesListed,
    ShowTrace: TracesListed,
    RecallFacts: FactsRecalled,
    ListStale: StaleListed,
    SwitchInjection: InjectionSwitched,
    ImportClaude: ClaudeImported,
}
"""Request -> type of the reply, apart from refusals."""

COMMANDS = (
    _command("status", "Memory kept by hand: files, share in prompts, pending changes, write access", DescribeCurated),
    _command("pages", "List the memory kept by hand, line by line, with ids", ListPages),
    _command("verify", "Rebuild the page tables of the memory kept by hand from its files", VerifyPages),
    _command(
        "remember",
        "Note a fact for the memory kept by hand; /memory flush writes it there",
        RememberFact,
        _word("scope", "global, or project", 10),
        _word("text", "The fact, in one line", 1000),
    ),
    _command("flush", "Write noted and proposed facts into the memory kept by hand", FlushFacts),
    _command("faults", "List the faults of the memory kept by hand", ListFaults),
    _command("traces", "List recent decisions about the memory kept by hand here", ListTraces),
    _command(
        "trace",
        "Show one decision about the memory kept by hand",
        ShowTrace,
        _word("id", "Id, from the list of traces", 40),
    ),
    _command(
        "recall",
        "Find facts kept by hand by their words",
        RecallFacts,
        _word("query", "What to look for", 1000),
        _word("scope", "global, or project; leave it out for both", 10, required=False),
    ),
    _command("stale", "Facts kept by hand that need a new confirmation", ListStale),
    _command("off", "Leave the memory kept by hand out of my prompts here", SwitchInjection, on=False),
    _command("on", "Put the memory kept by hand into my prompts here again", SwitchInjection, on=True),
)

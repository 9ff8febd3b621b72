"""`agent memory add|list|forget`, and `search --memory-id`: facts of the gateway's conversations."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, BinaryIO

import click

from actors.cli.asking import ANSWER_S, Options, VerbClient, ask_all, asking_options
from actors.cli.common import fail
from domain.facts.fact_list import check_facts, read_facts

if TYPE_CHECKING:
    from actors.kernel import ActorSpec
    from actors.part import Plan, Verb
    from actors.part.alone import Ask

SETTLE_S = 30.0
"""Longest wait, without a running agent, until changes by hand are indexed."""
PATIENCE_S = 30.0
"""Longest wait for a question's vector, where no agent runs: a model may have to be loaded, and no chat waits."""
memory_id_option = click.option(
    "--memory-id", default="default", show_default=True, help="Conversation, as requests name it."
)


@click.command()
@click.argument("texts", metavar="[TEXT]...", nargs=-1)
@click.option(
    "-f",
    "--file",
    "files",
    metavar="FILE",
    multiple=True,
    type=click.File("rb"),
    help="Facts of a file, a line each or a JSON list; - for stdin. Repeatable.",
)
@memory_id_option
@asking_options
def add(texts: tuple[str, ...], files: tuple[BinaryIO, ...], memory_id: str, **options: Any) -> None:
    """Keep each TEXT as a fact of the gateway's memory; `--memory-id global` for all conversations."""
    facts = [*texts]
    for file in files:
        try:
            facts += read_facts(file.read().decode())
        except (ValueError, OSError) as error:
            fail(f"-f {file.name}: {error}")
    try:
        questions = [{"conversation": memory_id, "text": text} for text in check_facts(facts)]
    except ValueError as error:
        fail(f"{error}; give TEXT or -f FILE" if not facts else str(error))
    replies = _FACTS.ask_each("add", options, questions, locks="hold")
    if options["as_json"] and len(questions) > 1:
        click.echo(json.dumps({"added": [_FACTS.fields(reply) for reply in replies]}, ensure_ascii=False))
        return
    for reply in replies:
        _FACTS.show("add", reply, options)


@click.command("list")
@click.option("--memory-id", default="", help="Conversation whose facts are listed; else all conversations are listed.")
@click.option("--all", "every", is_flag=True, help="Include turns and summaries.")
@asking_options
def list_(memory_id: str, every: bool, **options: Any) -> None:
    """List conversations of the gateway's memory, or the facts of a conversation, the oldest first."""
    roles = ("memory", "user", "assistant", "summary") if every else ("memory",)
    fields = {"conversation": memory_id, "roles": roles}
    reply = ask_all(
        lambda more: _FACTS.ask("list", options, {**fields, **more}, locks="hold"),
        ("entries", "conversations"),
        lambda whole: len(whole.entries) + len(whole.conversations),
    )
    _FACTS.show("list", reply, options)


@click.command()
@click.argument("entry_id", metavar="ID")
@click.option("--for-good", is_flag=True, help="Delete the file, instead of a move to deleted/.")
@asking_options
def forget(entry_id: str, for_good: bool, **options: Any) -> None:
    """Forget the fact or turn ID of the gateway's memory, as named by list and search."""
    _FACTS.tell("forget", options, {"id": entry_id, "for_good": for_good}, locks="hold")


def search_facts(question: str, memory_id: str, limit: int, options: Options) -> None:
    """Show the memories that a request with that question would receive."""
    fields = {"conversation": memory_id, "question": question, "top_k": limit}
    _FACTS.tell("search", options, fields, locks="hold")


def _verbs() -> Mapping[str, Verb]:
    from actors.facts.row import RECALL_VERBS, VERBS

    return {**VERBS, **RECALL_VERBS}


def _specs(plan: Plan, _verb: str) -> Iterable[ActorSpec]:
    from actors.parts import facts_alone

    return (part.spec for part in facts_alone(plan))


def _settle(ask: Ask) -> None:
    """Wait until every change by hand is indexed, but not for ever: an embedder may be down."""
    import threading

    from actors.part import Verb
    from messages.facts import FACTS
    from messages.status import DescribeYourself, SelfDescription

    for _ in range(int(SETTLE_S / 0.1)):
        reply = ask(Verb(FACTS, DescribeYourself), {}, ANSWER_S)
        figures = dict(reply.figures) if isinstance(reply, SelfDescription) else {}
        if figures.get("is_open") == "no":
            return
        if figures.get("is_loaded") == "yes" and (not figures["to_be_indexed"] or figures["state"] != "ready"):
            return
        threading.Event().wait(0.1)


_FACTS = VerbClient("facts", _verbs, _specs, settle=_settle, overrides={"facts.read_deadline_s": PATIENCE_S})

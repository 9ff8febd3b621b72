"""`agent memory add|list|forget`, and `search --memory-id`: facts of the gateway's conversations."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

import click

from actors.cli.common import config_option, data_option, fail, json_option, load_settings
from actors.cli.operator import ANSWER_S, Answer, running
from domain.text.terminal_text import plain

if TYPE_CHECKING:
    from actors.kernel import Edge
    from actors.settings.schema import Settings
    from messages.base import Message

OFF = "the layer facts is switched off; [layers] facts = true in agent.toml switches it on"
SETTLE_S = 30.0
"""Longest wait until what was changed by hand is indexed, where no agent runs."""
C = TypeVar("C", bound=Callable[..., None])
memory_id_option = click.option(
    "--memory-id", default="default", show_default=True, help="The conversation, as requests name it."
)


def _options(command: C) -> C:
    """Add the options that all of these commands take."""
    return config_option(data_option(json_option(command)))


@click.command()
@click.argument("text")
@memory_id_option
@_options
def add(text: str, memory_id: str, **options: Any) -> None:
    """Keep TEXT as a fact of the gateway's memory; `--memory-id global` for all conversations."""
    _show(_answer("add", "AddEntry", options, conversation=memory_id, text=text), options, _added_lines)


@click.command("list")
@click.option("--memory-id", default="", help="List this conversation's facts; else all conversations are listed.")
@click.option("--all", "every", is_flag=True, help="Turns and summaries too.")
@_options
def list_(memory_id: str, every: bool, **options: Any) -> None:
    """List conversations of the gateway's memory, or the facts of one, the oldest first."""
    roles = ("memory", "user", "assistant", "summary") if every else ("memory",)
    found: dict[str, list[Any]] = {"entries": [], "conversations": []}
    after = 0
    while True:
        answer = _answer("list", "ListEntries", options, conversation=memory_id, roles=roles, after=after)
        for name, rows in found.items():
            rows += answer[name]
        after = len(found["entries"]) + len(found["conversations"])
        if answer["is_all"]:
            break
    _show(found, options, _list_lines)


@click.command()
@click.argument("entry_id", metavar="ID")
@click.option("--for-good", is_flag=True, help="Leave nothing of it; else its file moves to deleted/.")
@_options
def forget(entry_id: str, for_good: bool, **options: Any) -> None:
    """Forget the fact or turn ID of the gateway's memory, as list and search name it."""
    _show(_answer("forget", "ForgetEntry", options, id=entry_id, for_good=for_good), options, _forgotten_lines)


def search_facts(question: str, memory_id: str, limit: int, options: Mapping[str, Any]) -> None:
    """Show what a request with that question would be given."""
    answer = _answer("search", "SearchEntries", options, conversation=memory_id, question=question, top_k=limit)
    _show(answer, options, _hit_lines)


def _answer(verb: str, command: str, options: Mapping[str, Any], **fields: object) -> Answer:
    given = {"data_root": str(options["data"].absolute())} if options["data"] else {}
    settings, secrets = load_settings(options["config_file"], given)
    if not settings.has_layer("facts"):
        fail(OFF)
    answer = running(settings, f"facts.{verb}", ANSWER_S, **fields)
    return answer if answer is not None else _alone(settings, secrets.environment(), command, fields)


def _alone(settings: Settings, secrets: Mapping[str, str], command: str, fields: dict[str, object]) -> Answer:
    """Answer of the facts without a running agent; no agent can start meanwhile."""
    from actors.context.log.data_root import DataRoot, DataRootError

    root = DataRoot(settings.data_root)
    try:
        root.hold()
    except DataRootError as error:
        fail(str(error))
    try:
        reply = _asked(settings, secrets, command, fields)
    finally:
        root.release()
    return _as_json(reply)


def _asked(settings: Settings, secrets: Mapping[str, str], command: str, fields: dict[str, object]) -> Message:
    import msgspec

    from actors.bootstrap import agent_plan
    from actors.kernel import ActorSystem
    from actors.parts import facts_alone
    from messages import facts
    from messages.base import RequestId

    system = ActorSystem(workers=2)
    edge = system.edge("facts-alone")
    for part in facts_alone(agent_plan(settings, secrets, system, None)):
        system.register(part.spec)
    system.start()
    try:
        _settle(edge)
        to = facts.FACT_RECALL if command == "SearchEntries" else facts.FACTS
        request_id = RequestId(system.new_id())
        joins = {"request_id": request_id, "reply_to": msgspec.to_builtins(edge.address)}
        edge.tell(to, msgspec.convert(joins | fields, getattr(facts, command)))
        answer = edge.receive(ANSWER_S, _answers(request_id))
        _settle(edge)
    except TimeoutError:
        fail(f"the facts did not answer within {ANSWER_S:g} s")
    except msgspec.ValidationError as error:
        fail(f"{command}: {error}")
    finally:
        system.stop()
    return answer


def _settle(edge: Edge) -> None:
    """Wait until every change by hand is indexed, but not for ever: an embedder may be down."""
    import threading

    from messages.base import RequestId
    from messages.facts import FACTS
    from messages.status import DescribeYourself, SelfDescription

    looks = int(SETTLE_S / 0.1)
    for look in range(looks):
        request_id = RequestId(f"look-{look}")
        edge.tell(FACTS, DescribeYourself(request_id=request_id, reply_to=edge.address))
        told = edge.receive(ANSWER_S, _answers(request_id))
        figures = dict(told.figures) if isinstance(told, SelfDescription) else {}
        if figures.get("is_loaded") == "yes" and (not figures["to_be_indexed"] or figures["state"] != "ready"):
            return
        threading.Event().wait(0.1)


def _answers(request_id: str) -> Callable[[Message], bool]:
    return lambda heard: getattr(heard, "request_id", None) == request_id


def _as_json(reply: Message) -> Answer:
    """A reply as the socket would have given it."""
    import msgspec

    from messages.socket import Refused

    if isinstance(reply, Refused):
        fail(reply.reason)
    answer: Answer = msgspec.to_builtins(reply)
    return {name: value for name, value in answer.items() if name not in ("request_id", "type")}


def _show(answer: Mapping[str, Any], options: Mapping[str, Any], lines: Callable[[Any], list[str]]) -> None:
    if options["as_json"]:
        click.echo(json.dumps(answer, indent=2, ensure_ascii=False))
        return
    for line in lines(answer):
        click.echo(plain(line))


def _added_lines(answer: Mapping[str, Any]) -> list[str]:
    return [f"{answer['id']}  {'kept' if answer['is_new'] else 'there already'}: {answer['path']}"]


def _list_lines(answer: Mapping[str, Any]) -> list[str]:
    lines = [
        f"{each['facts']:>6} facts {each['turns']:>6} turns {each['summaries']:>4} summaries  {each['conversation']}"
        for each in answer["conversations"]
    ]
    lines += [
        f"{each['id']}  {each['created_at'][:16].replace('T', ' ')}  [{each['role']}] {_one_line(each['content'])}"
        for each in answer["entries"]
    ]
    return lines or ["nothing is kept"]


def _forgotten_lines(answer: Mapping[str, Any]) -> list[str]:
    return [f"forgotten; its file is now {answer['path']}" if answer["path"] else "forgotten for good"]


def _hit_lines(answer: Mapping[str, Any]) -> list[str]:
    lines = [
        f"{each['id']}  score {each['score']:.3f} (relevance {each['relevance']:.3f}, recency {each['recency']:.3f})  "
        f"[{each['role']}] {_one_line(each['content'])}"
        for each in answer["hits"]
    ]
    return [*(lines or ["nothing was found"]), *([f"note: {answer['note']}"] if answer["note"] else [])]


def _one_line(text: str) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= 160 else f"{flat[:159]}…"

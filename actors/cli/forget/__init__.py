"""`agent forget`: take words out of the logs and of all derived data, and list the removals."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

import click

from actors.cli.asking import OPERATOR, Options, VerbClient, asking_options
from actors.cli.terminal.completion import WindowKey

if TYPE_CHECKING:
    from actors.kernel import ActorSpec
    from actors.part import Plan, Verb

LONGEST_S = 900.0
C = TypeVar("C", bound=Callable[..., None])
_window_option = click.option(
    "--window", "window", type=WindowKey(), required=True, help="Window of the words, e.g. discord-channel/123."
)


def _act_options(command: C) -> C:
    """Add the options of every command that forgets."""
    yes = click.option("--yes", is_flag=True, help="Forget without a question; with --json there is none.")
    why = click.option("--why", default="", help="Reason for the record; without the words to forget.")
    return yes(why(asking_options(command)))


@click.group()
def forget() -> None:
    """Forget words for good, after a preview of the removals; the agent may run or not."""


@forget.command()
@click.argument("message_id", metavar="ID")
@_window_option
@_act_options
def message(message_id: str, window: str, **options: Any) -> None:
    """Forget the message ID with its edits, quotations, answers, results, files and repetitions."""
    _act(options, {"kind": "message", "window": _window(window), "message_id": message_id})


@forget.command()
@click.argument("account", metavar="ID")
@_window_option
@click.option("--name", default="", help="Name of the person, if another than in the logs.")
@_act_options
def person(account: str, window: str, name: str, **options: Any) -> None:
    """Forget all words of the account ID in a window, and all there that quotes or names the person."""
    _act(options, {"kind": "person", "window": _window(window), "person_id": account, "person_name": name})


@forget.command()
@click.argument("words", nargs=-1, required=True)
@click.option(
    "--window",
    "window",
    type=WindowKey(),
    default=OPERATOR,
    help="Only messages that this window may show; needs the agent.",
)
@_act_options
def topic(words: tuple[str, ...], window: str, **options: Any) -> None:
    """Forget all messages about WORDS in any window, as found by a search of the memory."""
    _act(options, {"kind": "topic", "window": _window(window), "words": " ".join(words)})


@forget.command("window")
@click.argument("window", type=WindowKey(), metavar="WINDOW")
@_act_options
def whole_window(window: str, **options: Any) -> None:
    """Forget all messages of WINDOW, e.g. discord-thread/123."""
    _act(options, {"kind": "window", "window": _window(window)})


@forget.command("expired")
@asking_options
def forget_expired(**options: Any) -> None:
    """Forget at once all messages older than `memory.keep_days`; a running agent does so once a day."""
    how: dict[str, Any] = {"answer_s": LONGEST_S, "locks": "hold"}
    _FORGET.tell("expired", options, {"window": OPERATOR}, **how)


@forget.command("list")
@asking_options
def list_(**options: Any) -> None:
    """Print the record of forgetting: by whom, when, why, and how much; newest first, without words."""
    _FORGET.tell("list", options, {"window": OPERATOR})


def _act(options: Options, scope: Mapping[str, object]) -> None:
    """Count, ask and forget."""
    how: dict[str, Any] = {
        "answer_s": LONGEST_S,
        "locks": "hold",
        "missing": "data root {}: there is no such folder, so there is nothing to forget",
    }
    fields = {"window": OPERATOR, "scope": scope}
    if not (options["yes"] and options["as_json"]):
        _FORGET.tell("preview", options, fields, **how)
        if options["as_json"]:
            return
    if not options["yes"]:
        click.confirm("Forget this for good?", abort=True)
    _FORGET.tell("carry-out", options, {**fields, "why": options["why"]}, **how)


def _window(key: str) -> dict[str, str]:
    surface, _, name = key.partition("/")
    return {"surface": surface, "id": name}


def _verbs() -> Mapping[str, Verb]:
    from actors.forget.part import VERBS

    return {**VERBS}


def _specs(plan: Plan, verb: str) -> Iterable[ActorSpec]:
    from actors.forget.part import specs_alone
    from actors.parts import parts

    return specs_alone(plan, parts(plan), only_lists=verb == "list")


_FORGET = VerbClient("forget", _verbs, _specs, is_layer=False)

"""`agent approval`: the running agent's questions to a person, and the operator's decisions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import click

from actors.cli.asking import Options, VerbClient, asking_options

if TYPE_CHECKING:
    from actors.part import Verb

_NEEDS_AGENT = "no agent runs on the data root {}, so no question is open: start the agent with bin/agent run"


@click.group()
def approval() -> None:
    """List the requests for a person's decision (shell.approve), and allow or refuse a request."""


@approval.command("list")
@asking_options
def list_(**options: Any) -> None:
    """Print each open question, oldest first: id, time, window, kind, and the command or address."""
    _APPROVAL.tell("list", options, {}, needs_agent=_NEEDS_AGENT)


@approval.command()
@click.argument("question_id", metavar="ID")
@asking_options
def allow(question_id: str, **options: Any) -> None:
    """Allow the question ID, as printed by `agent approval list`."""
    _decide(question_id, options, grants=True)


@approval.command()
@click.argument("question_id", metavar="ID")
@asking_options
def refuse(question_id: str, **options: Any) -> None:
    """Refuse the question ID; the model reads the refusal as the result of its command."""
    _decide(question_id, options, grants=False)


def _decide(question_id: str, options: Options, *, grants: bool) -> None:
    _APPROVAL.tell("decide", options, {"id": question_id, "grants": grants}, needs_agent=_NEEDS_AGENT)


def _verbs() -> Mapping[str, Verb]:
    from actors.approval.part import VERBS

    return {**VERBS}


_APPROVAL = VerbClient("approval", _verbs, specs=lambda _plan, _verb: (), is_layer=False)

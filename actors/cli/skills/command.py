"""`agent skills`: commands about skills; the agent may run or not."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

import click

from actors.cli.asking import Options, VerbClient, asking_options
from actors.cli.common import config_option, data_option, json_option

if TYPE_CHECKING:
    from actors.cli.skills.adding import Place
    from actors.kernel import ActorSpec
    from actors.part import Plan, Verb

C = TypeVar("C", bound=Callable[..., None])
yes_option = click.option("--yes", is_flag=True, help="Do not ask; grave findings are refused all the same.")
despite_option = click.option("--despite-findings", is_flag=True, help="With --yes: grave findings are not refused.")


@click.group()
def skills() -> None:
    """List skills, add skills of other people, and compare added skills with their hashes."""


@skills.command("list")
@asking_options
def list_skills(**options: Any) -> None:
    """List all skills: source, state, and cost in tokens of each request."""
    _SKILLS.tell("list", options, {})


@skills.command()
@click.argument("source")
@click.option("--path", default="", help="Folder of the skill in SOURCE, if SOURCE holds several.")
@click.option("--ref", default="", help="Branch, tag or commit of a repository; else its default branch.")
@click.option("--replace", "replaces", is_flag=True, help="Replace a skill of the same name.")
@yes_option
@despite_option
@config_option
@data_option
def add(source: str, path: str, ref: str, replaces: bool, yes: bool, despite_findings: bool, **options: Any) -> None:
    """Show the skill of SOURCE, and add it once you agree; no part of the skill is run.

    SOURCE is a folder, an archive (zip, .skill, tar, tar.gz), or the address of a git repository (https, ssh, file).
    The hashes of all files are kept: a changed skill is not used until you accept it.
    """
    from actors.cli.skills.adding import Answering, add_skill

    place = _place(options)
    add_skill(place, source, path, ref, replaces=replaces, answering=Answering(yes=yes, despite=despite_findings))


@skills.command()
@click.argument("names", nargs=-1)
@config_option
@data_option
@json_option
def check(names: tuple[str, ...], as_json: bool, **options: Any) -> None:
    """Compare added skills, or the skills NAMED, with the hashes of their files; exit 1 for a difference."""
    from actors.cli.skills.adding import check_skills

    states = check_skills(_place(options), names)
    if as_json:
        click.echo(json.dumps(states))
    else:
        for name, changes in states.items():
            click.echo(f"{name}: {'as accepted' if not changes else 'changed, not used'}")
            for change in changes:
                click.echo(f"  {change}")
        if not states:
            click.echo("no skill was added")
    if any(states.values()):
        raise SystemExit(1)


@skills.command()
@click.argument("name")
@yes_option
@despite_option
@config_option
@data_option
def accept(name: str, yes: bool, despite_findings: bool, **options: Any) -> None:
    """Show the current state of the skill NAME, and use this state once you agree.

    For a skill put into the data root by hand, the hashes are kept from then on.
    """
    from actors.cli.skills.adding import Answering, accept_skill

    accept_skill(_place(options), name, Answering(yes=yes, despite=despite_findings))


@skills.command()
@click.argument("name")
@click.option("--yes", is_flag=True, help="Do not ask.")
@config_option
@data_option
def remove(name: str, yes: bool, **options: Any) -> None:
    """Remove the skill NAME from the data root, with its hashes."""
    from actors.cli.skills.adding import Answering, remove_skill

    remove_skill(_place(options), name, Answering(yes=yes, despite=True))


def _place(options: Options) -> Place:
    """Folders of skills; ends the command for a data root that may be another person's."""
    from actors.cli.skills.adding import Place
    from actors.cli.trust.own_data import check_data, make_data

    settings, _ = _SKILLS.settings(options)
    check_data(settings)
    return Place(settings.data_root, tuple(settings.skills.folders), lambda: make_data(settings))


def _verbs() -> Mapping[str, Verb]:
    from actors.part import Verb
    from actors.skills.commands import LISTED
    from messages.skills import SKILLS, ListSkills

    return {"skills.list": Verb(SKILLS, ListSkills, words=LISTED)}


def _specs(plan: Plan, _verb: str) -> Iterable[ActorSpec]:
    from actors.parts import parts
    from messages.skills import SKILLS

    return (part.spec for part in parts(plan) if part.spec.kind == SKILLS.kind)


_SKILLS = VerbClient("skills", _verbs, _specs, is_layer=False)

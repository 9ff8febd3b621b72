"""Adding: a skill is shown, asked about, and installed or accepted; each error ends the command with its rule."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

import click

from actors.cli.common import fail
from actors.cli.skills.git import fetch, git_address
from actors.cli.skills.words import show_line, skill_lines
from actors.kernel import SystemClock
from actors.linux.private_folder import TemporaryFolder
from actors.part import SHIPPED_SKILLS, command
from actors.skill_files.folders import SkillFolders, skill_roots
from actors.skills.foreign.package import Package, read_package
from actors.skills.foreign.source import Folder, open_source
from actors.skills.foreign.store import SkillStore
from domain.text.lookalike import as_seen
from domain.turn.skill import name_fault


@dataclass(frozen=True, slots=True)
class Place:
    """Folders of an agent's skills."""

    data_root: Path
    folders: tuple[str, ...]
    """Further folders, from the settings."""
    make_data: Callable[[], None]
    """Makes a missing data root."""

    @property
    def root(self) -> Path:
        """Folder of added skills."""
        return self.data_root / "skills"

    @property
    def store(self) -> SkillStore:
        """Store of added skills."""
        return SkillStore(self.root, SystemClock().now)


@dataclass(frozen=True, slots=True)
class Answering:
    """Answers that the command line gives before any question."""

    yes: bool
    despite: bool
    """True if grave findings do not refuse a skill with `yes`."""

    def confirm(self, question: str, package: Package | None) -> None:
        """Ask a person; any answer but yes ends the command.

        Args:
            question: Of the person.
            package: Skill in question; None if no part of a skill is to be used.
        """
        is_grave = package is not None and package.is_grave
        if self.yes:
            if is_grave and not self.despite:
                fail("not done: there are grave findings (!); ask without --yes, or add --despite-findings")
            return
        if sys.stdin is None or not sys.stdin.isatty():
            fail("not done: there is no terminal to ask on; --yes answers for scripts")
        click.confirm(f"{question}{' There are grave findings (!).' if is_grave else ''}", abort=True)


def add_skill(place: Place, source: str, path: str, ref: str, *, replaces: bool, answering: Answering) -> None:
    """Show the skill of a source, ask, and install the skill."""
    with _errors(), _read(source, path, ref) as (package, address, commit):
        store = place.store
        _require_free_name(place, package.name, store, replaces=replaces)
        _show(package, address, commit)
        answering.confirm("Add this skill?", package)
        place.make_data()
        store.add(package, address, commit, replaces=replaces)
        click.echo(f"added {package.name}; its hashes are kept, and a running agent uses it in a few seconds")


def accept_skill(place: Place, name: str, answering: Answering) -> None:
    """Show a skill of the data root in the current state, ask, and keep the hashes."""
    with _errors():
        _require_name(name)
        store = place.store
        entry = store.record().skills.get(name)
        folder = place.root / name
        if not folder.is_dir():
            fail(f"{folder}: there is no such skill")
        if folder.is_symlink():
            fail(f"{folder}: is a link, and a skill whose hashes are kept must be a folder itself")
        package = read_package(Folder(folder))
        if package.path:
            fail(f"{folder}: has no SKILL.md itself, only one in {show_line(package.path)}")
        if package.name != name:
            fail(f"{folder}: its skill is named {package.name!r}, and must have the folder's name")
        if package.left_out:
            fail(f"{folder}: holds {package.left_out} files of git or caches, which are part of no skill: remove them")
        _show(package, entry.source if entry and entry.source else str(folder), entry.commit if entry else "")
        for change in store.changes(name) if entry is not None else ():
            click.echo(f"  changed   {show_line(change, 300)}")
        answering.confirm("Use this skill as it is now?", package)
        store.accept(name, package.hashes)
        if store.changes(name):
            fail(f"accepted {name} as it was shown; it has changed since, so it is not used: accept it again")
        click.echo(f"accepted {name}")


def remove_skill(place: Place, name: str, answering: Answering) -> None:
    """Ask, and remove a skill of the data root."""
    with _errors():
        _require_name(name)
        folder = place.root / name
        store = place.store
        if not os.path.lexists(folder) and name not in store.record().skills:
            fail(f"{folder}: there is no such skill")
        answering.confirm(f"Remove {folder}?", None)
        store.remove(name)
        click.echo(f"removed {name}")


def check_skills(place: Place, names: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Name of an added skill -> differences from its hashes."""
    with _errors():
        store = place.store
        wanted = names or sorted(store.record().skills)
        return {name: tuple(show_line(change, 300) for change in store.changes(name)) for name in wanted}


@contextmanager
def _read(source: str, path: str, ref: str) -> Iterator[tuple[Package, str, str]]:
    """The skill, the source in words, and the commit."""
    address = git_address(source)
    if address is None:
        if ref:
            raise click.UsageError("--ref: is allowed with the address of a git repository only")
        local = Path(os.path.expanduser(source)).absolute()  # noqa: PTH111 - a user that does not exist is no error
        words = os.fsencode(local).decode("utf-8", "replace")
        yield read_package(open_source(local), path), words, ""
        return
    with TemporaryFolder("agent-skills-") as folder:
        wanted = address if not ref else type(address)(address.url, ref, address.path)
        fetched = fetch(wanted, Path(folder), os.environ)
        package = read_package(open_source(fetched.archive), path or address.path)
        yield package, address.url, fetched.commit


def _show(package: Package, source: str, commit: str) -> None:
    for line in skill_lines(package, source, commit):
        click.echo(line)


def _require_free_name(place: Place, name: str, store: SkillStore, *, replaces: bool) -> None:
    """End the command if another skill has the same name, or a name that looks the same."""
    own = place.root / name
    shipped = tuple(path for path in SHIPPED_SKILLS.iterdir() if path.is_dir())
    scan = SkillFolders(skill_roots(shipped, place.data_root, place.folders)).scan()
    used = ((skill.name, skill.path, Path(skill.folder)) for skill in scan.skills)
    changed = ((each.name, each.folder, Path(each.folder).resolve()) for each in scan.changed)
    for other, path, folder in (*used, *changed):
        if folder == own.resolve():
            continue
        if other == name:
            fail(f"name {name!r}: is taken by {path}")
        if as_seen(other) == as_seen(name):
            fail(f"name {name!r}: looks like {other!r} of {path}")
    if os.path.lexists(own) and not replaces:
        differ = "" if name not in store.record().skills or not store.changes(name) else ", with changes"
        fail(f"name {name!r}: is there already{differ}, in {own}; --replace takes its place")


def _require_name(name: str) -> None:
    if fault := name_fault(name):
        fail(f"{fault}; `{command()} skills list` has the names")


@contextmanager
def _errors() -> Iterator[None]:
    """End the command with the words of an error."""
    try:
        yield
    except ValueError as error:
        _fail(str(error))
    except OSError as error:
        _fail(f"{error.filename or ''}: {error.strerror or error}".removeprefix(": "))


def _fail(reason: str) -> NoReturn:
    fail(show_line(reason, 4_000))

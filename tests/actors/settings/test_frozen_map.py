"""A setting may be a mapping: each of its keys and values keeps a rule, and it cannot be changed afterwards."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from actors.part import Flag, Folder, FolderOf, Folders, FrozenMap, OptionalPath, Table
from actors.settings.load import load
from actors.settings.problem import SettingsError
from actors.settings.render import render
from actors.settings.schema import Settings, Source
from actors.settings.secret import Secrets

CHANNEL = "123456789012345678"
TOKEN = ".".join(("MTk4NjIyNDgzNDcxOTI1MjQ4", "Cl2FMQ", "ZnCjm1XVW7vRze4b7Cq4se7kKWs"))
"""Text in the form of a bot's token, no real token."""
ID_RULE = "must be a Discord id of 15 to 20 digits, or cli for the command line"
FOLDER_RULE = "must be the path of a folder that begins with / or ~, in quotes"


class Atlas(Table):
    """A layer's table."""

    home: Folder = "~/atlas"
    shelves: Folders = ()
    source: OptionalPath = ""
    projects: FolderOf = FrozenMap()
    open: Flag = True


def load_folder(folder: Path, text: str = "", **given: object) -> Settings:
    (folder / "agent.toml").write_text(text)
    return load(Path("agent.toml"), environ={}, folder=folder, overrides=given, tables={"atlas": Atlas})


def atlas(folder: Path, text: str = "", **given: object) -> Atlas:
    return load_folder(folder, text, **given).table(Atlas)


def complaints(folder: Path, text: str = "", **given: object) -> list[str]:
    with pytest.raises(SettingsError) as refused:
        load_folder(folder, text, **given)
    return str(refused.value).split("\n")


# What is in force


def test_it_may_be_written_as_every_table_may(subtests: pytest.Subtests, tmp_path: Path) -> None:
    cases: list[str] = [
        f'[atlas]\nprojects = {{ "{CHANNEL}" = "/srv/repo", cli = "~/work/repo" }}\n',
        f'[atlas]\nopen = true\n[atlas.projects]\n{CHANNEL} = "/srv/repo"\ncli = "~/work/repo"\n',
        f'[atlas.projects]\n{CHANNEL} = "/srv/repo"\ncli = "~/work/repo"\n',
        f'atlas.projects.{CHANNEL} = "/srv/repo"\natlas.projects.cli = "~/work/repo"\n',
    ]
    for number, text in enumerate(cases):
        place = tmp_path / str(number)
        place.mkdir()
        with subtests.test(text=text):
            assert atlas(place, text).projects == {CHANNEL: "/srv/repo", "cli": "~/work/repo"}


def test_without_a_line_it_is_empty(tmp_path: Path) -> None:
    assert load_folder(tmp_path) == load_folder(tmp_path, "[atlas]\nprojects = {}\n[layers]\n")
    assert atlas(tmp_path) == Atlas() == Atlas(projects=FrozenMap())


def test_the_command_line_decides_the_whole_of_it(tmp_path: Path) -> None:
    settings = load_folder(tmp_path, f'[atlas.projects]\n{CHANNEL} = "/srv"\n', **{"atlas.projects": {"cli": tmp_path}})

    assert settings.table(Atlas).projects == {"cli": str(tmp_path)}
    assert settings.origin.sources["atlas.projects"] is Source.COMMAND_LINE


def test_folders_are_kept_as_they_were_written(tmp_path: Path) -> None:
    text = '[atlas]\nhome = "/srv/with blanks/ü"\nshelves = ["~", "/"]\nsource = "../beside"\n'

    assert atlas(tmp_path, text) == Atlas(home="/srv/with blanks/ü", shelves=("~", "/"), source="../beside")


def test_it_is_shown_with_who_decided_it(tmp_path: Path) -> None:
    settings = load_folder(tmp_path, '[atlas.projects]\ncli = "~/work"\n')

    shown = json.loads(json.dumps(render(settings, Secrets.take({}))))["settings"]

    assert shown["atlas.projects"] == {"value": {"cli": "~/work"}, "source": "file"}
    assert shown["atlas.shelves"] == {"value": [], "source": "default"}
    assert settings.table(Atlas).model_dump()["projects"] == {"cli": "~/work"}


# What is refused


def test_each_key_and_value_is_named_with_its_line_and_rule(subtests: pytest.Subtests, tmp_path: Path) -> None:
    cases: list[tuple[str, str]] = [
        ('general = "/srv"', f"atlas.projects.general: the key {ID_RULE}"),
        ('12 = "/srv"', f"atlas.projects.12: the key {ID_RULE}"),
        ('"" = "/srv"', f'atlas.projects."": the key {ID_RULE}'),
        ('CLI = "/srv"', f"atlas.projects.CLI: the key {ID_RULE}"),
        ('"[key]" = "/srv"', f'atlas.projects."[key]": the key {ID_RULE}'),
        ('cli = ""', f'atlas.projects.cli = "": {FOLDER_RULE}'),
        ('cli = "work/repo"', f'atlas.projects.cli = "work/repo": {FOLDER_RULE}'),
        ('cli = "/a\\u0000b"', f'atlas.projects.cli = "/a\\u0000b": {FOLDER_RULE}'),
        ("cli = 5", f"atlas.projects.cli = 5: {FOLDER_RULE}"),
        ('cli = ["/srv"]', f"atlas.projects.cli = […]: {FOLDER_RULE}"),
        ('cli.a.b = "/srv"', f"atlas.projects.cli = {{…}}: {FOLDER_RULE}"),
        (
            'cli = "~no such user/repo"',
            'atlas.projects.cli = "~no such user/repo": must not begin with the ~ of a user without a home',
        ),
    ]
    for number, (lines, complaint) in enumerate(cases):
        place = tmp_path / str(number)
        place.mkdir()
        with subtests.test(lines=lines, complaint=complaint):
            assert complaints(place, f'[atlas.projects]\n{CHANNEL} = "/srv"\n{lines}\n') == [
                f"agent.toml:3: {complaint}"
            ]


def test_what_is_of_another_kind_is_refused(subtests: pytest.Subtests, tmp_path: Path) -> None:
    cases: list[tuple[str, str]] = [
        ('projects = "/srv"', 'atlas.projects = "/srv": must be a table, such as { cli = "…" }'),
        ('projects = ["/srv"]', 'atlas.projects = […]: must be a table, such as { cli = "…" }'),
        ('home = "atlas"', f'atlas.home = "atlas": {FOLDER_RULE}'),
        ('shelves = "/srv"', 'atlas.shelves = "/srv": must be an array, such as ["…"]'),
        ('shelves = ["/srv", " /srv"]', f'atlas.shelves[1] = " /srv": {FOLDER_RULE}'),
        ("source = 5", "atlas.source = 5: must be text in quotes"),
        ('source = " "', 'atlas.source = " ": must be empty or a path, in quotes'),
        ('project.cli = "/srv"', "atlas.project: unknown key; did you mean projects?"),
    ]
    for number, (line, complaint) in enumerate(cases):
        place = tmp_path / str(number)
        place.mkdir()
        with subtests.test(line=line, complaint=complaint):
            assert complaints(place, f"[atlas]\n\n{line}\n") == [f"agent.toml:3: {complaint}"]


def test_all_that_is_wrong_is_told_at_once(tmp_path: Path) -> None:
    text = '[atlas]\nprojects = { a = "b", cli = "c" }\nopen = 1\n'

    assert complaints(tmp_path, text) == [
        f'agent.toml:2: atlas.projects.a = "b": {FOLDER_RULE}',
        f"agent.toml:2: atlas.projects.a: the key {ID_RULE}",
        f'agent.toml:2: atlas.projects.cli = "c": {FOLDER_RULE}',
        "agent.toml:3: atlas.open = 1: must be true or false",
    ]


def test_what_the_command_line_gets_wrong_is_told_as_its_own(tmp_path: Path) -> None:
    text = '[atlas.projects]\ncli = "/srv"\n'

    assert complaints(tmp_path, text, **{"atlas.projects": {"x": "/srv"}}) == [
        f"command line: atlas.projects.x: the key {ID_RULE}"
    ]


# Secrets


def test_ids_and_paths_are_no_secrets(tmp_path: Path) -> None:
    text = f'[atlas.projects]\n{CHANNEL} = "/srv/token-api/key/{CHANNEL}.{CHANNEL}"\n18446744073709551615 = "~/secret_key"\n'

    assert len(atlas(tmp_path, text).projects) == 2


def test_a_secret_in_it_is_refused_and_never_repeated(subtests: pytest.Subtests, tmp_path: Path) -> None:
    cases: list[tuple[str, str]] = [
        (f'cli = "/srv/{TOKEN}"', "atlas.projects.cli"),
        ('cli = "https://me:hunter2@host/repo"', "atlas.projects.cli"),
        ('api_key = "hunter2"', "atlas.projects.api_key"),
        (f'"{TOKEN}" = "/srv"', "a key that looks like a secret"),
        (f'{TOKEN} = "/srv"', "a key that looks like a secret"),
    ]
    for number, (line, key) in enumerate(cases):
        place = tmp_path / str(number)
        place.mkdir()
        with subtests.test(line=line, key=key):
            (told,) = complaints(place, f"[atlas.projects]\n{line}\n")

            assert told.startswith(f"agent.toml:2: {key}: secrets don't belong here: ")
            assert not [part for part in ("hunter2", *TOKEN.split(".")) if part in told]


# The mapping itself


@given(content=st.dictionaries(st.text(max_size=3), st.text(max_size=3), max_size=4))
def test_it_is_the_mapping_that_it_was_made_of(content: dict[str, str]) -> None:
    made = FrozenMap(content)
    backwards = FrozenMap(dict(reversed(content.items())))

    assert dict(made) == content == made == copy.deepcopy(made)
    assert list(made) == list(content)
    assert (made, hash(made)) == (backwards, hash(backwards))


def test_it_cannot_be_changed(tmp_path: Path) -> None:
    content = {"cli": "/srv"}
    projects: Any = FrozenMap(content)
    content["cli"] = "/elsewhere"
    table: Any = atlas(tmp_path, '[atlas.projects]\ncli = "/srv"\n')

    with pytest.raises(TypeError):
        projects["cli"] = "/elsewhere"
    with pytest.raises(TypeError):
        del table.projects["cli"]
    assert projects == table.projects == {"cli": "/srv"}
    assert hash(table) == hash(table.model_copy())


@pytest.mark.parametrize("kind", [dict[str, str], list[str], set[str], dict])
def test_a_layers_table_has_nothing_that_can_be_changed(tmp_path: Path, kind: Any) -> None:
    class Loose(Table):
        projects: kind = ()

    with pytest.raises(ValueError, match="projects: must be a tuple, or a FrozenMap"):
        load(environ={}, folder=tmp_path, tables={"atlas": Loose})

"""A settings file that its user did not name counts as far as it is trusted, and otherwise stops nothing."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from actors.settings.load import load
from actors.settings.problem import SettingsError
from actors.settings.schema import Settings
from actors.settings.trust import UserTrust, digest_of
from domain.policy.folder_trust import Standing
from tests.trusted import trust, write_settings

HOSTILE = '[shell]\nsandbox = "none"\n[model]\nname = "openai/x"\napi_base = "http://127.0.0.1:9"\nretries = 1\n'


def load_folder(folder: Path, **environ: str) -> Settings:
    return load(environ=environ, folder=folder, trust=UserTrust(os.environ))


def test_an_untrusted_file_decides_what_is_harmless_and_nothing_else(tmp_path: Path) -> None:
    (tmp_path / "agent.toml").write_text(HOSTILE)

    settings = load_folder(tmp_path)

    assert (settings.shell.sandbox, settings.model.name, settings.model.api_base) == ("auto", "offline", "")
    assert settings.model.retries == 1
    assert settings.origin.left_out.keys == ("shell.sandbox", "model.name", "model.api_base")


def test_a_trusted_file_decides_all_it_says(tmp_path: Path) -> None:
    write_settings(tmp_path, HOSTILE)

    settings = load_folder(tmp_path)

    assert (settings.shell.sandbox, settings.model.name) == ("none", "openai/x")
    assert not settings.origin.left_out


def test_a_file_that_changed_is_untrusted_until_it_is_trusted_again(tmp_path: Path) -> None:
    """direnv/direnv#23: a hash of the content keeps what is put in after the trust from counting."""
    write_settings(tmp_path, "[model]\nretries = 1\n")
    (tmp_path / "agent.toml").write_text(HOSTILE)

    changed = load_folder(tmp_path)
    trust(tmp_path)

    assert changed.shell.sandbox == "auto"
    assert changed.origin.left_out.changed == "agent.toml"
    assert load_folder(tmp_path).shell.sandbox == "none"


def test_a_file_that_comes_into_a_trusted_folder_without_one_is_untrusted(tmp_path: Path) -> None:
    trust(tmp_path)
    (tmp_path / "agent.toml").write_text(HOSTILE)

    assert load_folder(tmp_path).origin.left_out.changed == "agent.toml"


def test_the_bytes_that_are_judged_are_the_bytes_that_count(tmp_path: Path) -> None:
    """A file that is replaced between the judgement and the reading would count unjudged; so it is read once."""
    file = tmp_path / "agent.toml"
    file.write_text("[model]\nname = 'first/one'\n")
    first = digest_of(file.read_bytes())

    class Replacing:
        trouble = ""

        def standing(self, path: Path, digest: str) -> Standing:
            path.write_text(HOSTILE)
            return Standing.TRUSTED if digest == first else Standing.CHANGED

    settings = load(environ={}, folder=tmp_path, trust=Replacing())

    assert (settings.model.name, settings.shell.sandbox) == ("first/one", "auto")


def test_an_untrusted_file_that_is_bad_decides_nothing_and_stops_nothing(
    subtests: pytest.Subtests, tmp_path: Path
) -> None:
    cases: list[tuple[bytes, str]] = [
        (b"[shell\n", "agent.toml:1: not valid TOML"),
        (b"\xff", "agent.toml:1: must be UTF-8"),
        (b"[[tools]]\n", "arrays of tables"),
        (b"a = " + b"[" * 5000, "not valid TOML"),
        (b"#" * 262_145, "must be at most 262144 bytes"),
        (b"[model]\nretries = 11\n", "model.retries = 11: must be >= 0 and <= 10"),
        (b"[shell]\ntimeout_s = 601\n", "shell.timeout_s = 601"),
    ]
    for number, (content, told) in enumerate(cases):
        place = tmp_path / str(number)
        place.mkdir()
        with subtests.test(content=content, told=told):
            (place / "agent.toml").write_bytes(content)

            settings = load_folder(place)

            assert settings == Settings(data_root=place / "data")
            assert told in settings.origin.left_out.fault


def test_what_is_no_file_decides_nothing_and_stops_nothing(subtests: pytest.Subtests, tmp_path: Path) -> None:
    cases: list[str] = ["folder", "link to nowhere", "pipe", "loop"]
    for number, kind in enumerate(cases):
        place = tmp_path / str(number)
        place.mkdir()
        with subtests.test(kind=kind):
            file = place / "agent.toml"
            match kind:
                case "folder":
                    file.mkdir()
                case "pipe":
                    os.mkfifo(file)
                case _:
                    file.symlink_to("gone" if kind == "link to nowhere" else "agent.toml")

            assert load_folder(place).origin.left_out.fault


def test_what_the_command_line_says_wrong_is_refused_all_the_same(tmp_path: Path) -> None:
    (tmp_path / "agent.toml").write_text(HOSTILE)

    with pytest.raises(SettingsError, match=r"command line: model\.retries = 99"):
        load(environ={}, folder=tmp_path, overrides={"model.retries": 99}, trust=UserTrust(os.environ))


def test_a_secret_in_an_untrusted_file_is_not_repeated(tmp_path: Path) -> None:
    secret = "sk-0123456789abcdef0123"
    (tmp_path / "agent.toml").write_text(f'[model]\nname = "{secret}"\n"{secret}" = 1\n[{secret}]\nx = 1\n')

    left_out = load_folder(tmp_path).origin.left_out

    assert secret not in left_out.sentence("agent")
    assert (left_out.keys, left_out.others) == (("model.name",), 2)


def test_a_variable_names_a_file_only_by_a_full_path(tmp_path: Path) -> None:
    """A relative one would have each folder in which one stands obeyed, as a relative path in a list of trust would."""
    (tmp_path / "mine.toml").write_text(HOSTILE)

    assert load_folder(tmp_path, AGENT_CONFIG="mine.toml").shell.sandbox == "auto"
    assert load_folder(tmp_path, AGENT_CONFIG=str(tmp_path / "mine.toml")).shell.sandbox == "none"


def test_a_file_that_is_named_on_the_command_line_counts_whole(tmp_path: Path) -> None:
    (tmp_path / "agent.toml").write_text(HOSTILE)

    settings = load(Path("agent.toml"), environ={}, folder=tmp_path, trust=UserTrust(os.environ))

    assert settings.shell.sandbox == "none"
    assert settings.origin.trusts_data


# The data root


def test_the_usual_data_root_is_the_folders_and_trusted_with_it(tmp_path: Path) -> None:
    assert not load_folder(tmp_path).origin.trusts_data
    trust(tmp_path)
    assert load_folder(tmp_path).origin.trusts_data
    (tmp_path / "agent.toml").write_text(HOSTILE)
    assert not load_folder(tmp_path).origin.trusts_data


def test_a_data_root_that_the_caller_names_is_trusted(tmp_path: Path) -> None:
    assert load_folder(tmp_path, AGENT_HOME="/srv/agent").origin.trusts_data
    assert load_folder(tmp_path, AGENT_HOME="~/agent").origin.trusts_data
    assert load(environ={}, folder=tmp_path, overrides={"data_root": "/srv/agent"}).origin.trusts_data


def test_a_relative_variable_names_a_data_root_of_the_folder(tmp_path: Path) -> None:
    """openai/codex#4007: state that is looked for in the folder one stands in is state that its author has made."""
    assert not load_folder(tmp_path, AGENT_HOME="data").origin.trusts_data


def test_a_named_file_that_lies_elsewhere_does_not_vouch_for_the_folder_one_stands_in(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "agent.toml").touch()
    (tmp_path / "clone").mkdir()

    settings = load(tmp_path / "mine" / "agent.toml", environ={}, folder=tmp_path / "clone")

    assert settings.data_root == tmp_path / "clone" / "data"
    assert not settings.origin.trusts_data

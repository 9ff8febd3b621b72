from __future__ import annotations

import os
import socket
from itertools import product
from pathlib import Path

import pytest

from actors.linux.folder import remove_tree
from actors.shell.refused import RefusedError
from actors.shell.sandbox.caller_folder import CallerFolder, check_writing, examine, missing
from actors.shell.sandbox.kept_names import is_secret
from actors.shell.sandbox.obeyed_names import RESERVED_FOLDERS
from tests.ordinary_user import as_ordinary_user

SECRETS = (
    *(
        ".env",
        ".env.production",
        "prod.env",
        ".ENV",
        "secrets.env",
        ".ssh",
        ".aws",
        ".netrc",
        "server.key",
        "id_ed25519",
    ),
    *("ca-key.pem", "certkey.pem", "KEY.PEM", "credentials.json", "store.jks", "host.env.dist"),
)
OBEYED = (".git", ".venv", ".bashrc", ".profile", ".zshrc", "agent.toml", ".vscode", "sitecustomize.py", "x.pth")
HARMLESS = (".env.example", "notes.md", "environment.yml", "id_rsa.pub", "cacert.pem", "keys.py")


def test_secrets_are_hidden_and_what_programs_obey_is_protected_however_deep(
    tmp_path: Path, subtests: pytest.Subtests
) -> None:
    for number, depth in enumerate(["", "a", "a/b/c/d/e/f"]):
        with subtests.test(depth=depth):
            root = tmp_path / str(number)
            root.mkdir()
            here = root / depth
            here.mkdir(parents=True, exist_ok=True)
            for name in (*SECRETS, *OBEYED, *HARMLESS):
                (here / name).touch()
            found = examine(root, CallerFolder())
            assert sorted(found.hidden) == sorted(str(here / name) for name in SECRETS)
            assert sorted(found.protected) == sorted(str(here / name) for name in OBEYED)


@pytest.mark.parametrize(
    "name",
    [
        *("kubeconfig", "client_secret_1.json", "token.json", "auth.json", ".codex/auth.json"),
        *(".claude/.credentials.json", ".gemini/oauth_creds.json", ".dev.vars", ".dev.vars.production", ".vault_pass"),
        *("rclone.conf", "work.ovpn", ".m2/settings.xml", ".gradle/gradle.properties", "local.settings.json"),
        *("wp-config.php", ".pg_service.conf", "wallet.dat", "app-firebase-adminsdk-1.json", ".databrickscfg"),
        *("age/keys.txt", ".bundle/config", "prod.tfvars.json", "WP-CONFIG.PHP", "wp-config.php.bak", "auth.json~"),
    ],
)
def test_names_under_which_programs_keep_secrets_are_hidden(name: str, tmp_path: Path) -> None:
    (tmp_path / name).parent.mkdir(exist_ok=True)
    (tmp_path / name).touch()
    assert examine(tmp_path, CallerFolder()).hidden == (str(tmp_path / name),)


@pytest.mark.parametrize(
    "name",
    ["wp-config-sample.php", "settings.xml", "tokens.json", "author.json", "config", "m2/settings.xml", "keys.txt"],
)
def test_names_that_resemble_them_are_shown(name: str, tmp_path: Path) -> None:
    (tmp_path / name).parent.mkdir(exist_ok=True)
    (tmp_path / name).touch()
    assert examine(tmp_path, CallerFolder()).hidden == ()


def test_what_is_private_or_in_force_is_found_whatever_its_name(tmp_path: Path) -> None:
    for name in ("data/logs", "program/actors"):
        (tmp_path / name).mkdir(parents=True)
    for name in ("tokens", "settings"):
        (tmp_path / name).touch()
    decisions = CallerFolder(
        private=(tmp_path / "data", tmp_path / "tokens", tmp_path / "missing", Path("/elsewhere")),
        unchanging=(tmp_path / "program", tmp_path / "settings", Path("/usr")),
    )
    found = examine(tmp_path, decisions)
    assert found.hidden == (str(tmp_path / "data"), str(tmp_path / "tokens"))
    assert found.protected == (str(tmp_path / "program"), str(tmp_path / "settings"))


def test_a_link_counts_as_what_it_leads_to(tmp_path: Path) -> None:
    (tmp_path / "plain").touch()
    (tmp_path / ".env").symlink_to("plain")
    (tmp_path / "folder").mkdir()
    (tmp_path / "secrets.env").symlink_to("/etc/hostname")
    found = examine(tmp_path, CallerFolder(private=(tmp_path / "linked",)))
    assert found.hidden == (str(tmp_path / "plain"),)


def test_a_folder_with_too_many_names_is_refused_rather_than_half_searched(tmp_path: Path) -> None:
    for number in range(4):
        (tmp_path / str(number)).touch()
    with pytest.raises(RefusedError, match="holds more than 3 files"):
        examine(tmp_path, CallerFolder(most_entries=3))


def test_where_folders_are_nested_deeper_than_a_path_commands_are_refused_in_words(tmp_path: Path) -> None:
    deep = os.open(tmp_path, os.O_RDONLY)
    for _ in range(50):
        os.mkdir("d" * 100, dir_fd=deep)
        below = os.open("d" * 100, os.O_RDONLY, dir_fd=deep)
        os.close(deep)
        deep = below
    os.close(deep)
    parent = os.open(tmp_path, os.O_RDONLY)
    with pytest.raises(RefusedError, match="nested deeper than a path can be long"):
        examine(tmp_path, CallerFolder())
    remove_tree("d" * 100, parent)
    os.close(parent)


def test_what_is_the_systems_is_refused(subtests: pytest.Subtests) -> None:
    for place in ["/", "/usr/lib", "/etc", "/proc/self", "/run"]:
        with (
            subtests.test(place=place),
            pytest.raises(RefusedError, match="belongs to the agent or to the system"),
        ):
            examine(Path(place), CallerFolder())


def test_the_agents_own_data_are_refused(tmp_path: Path) -> None:
    (tmp_path / "data" / "logs").mkdir(parents=True)
    with pytest.raises(RefusedError, match="belongs to the agent"):
        examine(tmp_path / "data" / "logs", CallerFolder(private=(tmp_path / "data",)))


def test_nobody_lets_commands_write_to_a_home_or_to_the_running_program(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "homes" / "alice"
    (home / "project").mkdir(parents=True)
    (tmp_path / "program" / "actors").mkdir(parents=True)
    monkeypatch.setenv("HOME", str(home))
    for place in (home, home.parent):
        with pytest.raises(RefusedError, match="holds a home directory"):
            check_writing(place, ())
    for place in (tmp_path / "program", tmp_path / "program" / "actors"):
        with pytest.raises(RefusedError, match="the running agent is in"):
            check_writing(place, (tmp_path / "program",))
    check_writing(home / "project", (tmp_path / "program",))


def test_who_may_not_write_in_a_folder_cannot_let_commands_do_so(tmp_path: Path) -> None:
    with as_ordinary_user():
        check_writing(tmp_path, ())
        tmp_path.chmod(0o500)
        with pytest.raises(RefusedError, match="you may not write there yourself"):
            check_writing(tmp_path, ())


def test_another_name_of_the_secrets_in_force_is_hidden_too(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "tokens").touch()
    (tmp_path / "here").mkdir()
    (tmp_path / "here" / "copy.txt").hardlink_to(tmp_path / "elsewhere" / "tokens")
    found = examine(tmp_path / "here", CallerFolder(private=(tmp_path / "elsewhere" / "tokens",)))
    assert found.hidden == (str(tmp_path / "here" / "copy.txt"),)


def test_what_cannot_be_listed_is_hidden_as_a_whole(tmp_path: Path) -> None:
    (tmp_path / "shut").mkdir(mode=0o311)
    with as_ordinary_user():
        assert examine(tmp_path, CallerFolder()).hidden == (str(tmp_path / "shut"),)
    (tmp_path / "shut").chmod(0o700)  # for pytest to remove


def test_a_folder_full_of_secrets_is_refused(tmp_path: Path) -> None:
    for number in range(3):
        (tmp_path / f"{number}.env").touch()
    with pytest.raises(RefusedError, match="more than 2 of its files"):
        examine(tmp_path, CallerFolder(most_kept=2))


def test_what_other_programs_keep_to_themselves_is_searched_for_secrets(tmp_path: Path) -> None:
    for folder in (".git", ".venv", "a/venv"):
        (tmp_path / folder).mkdir(parents=True)
        for name in (".env", "secrets.env", "credentials.py", "x.pth"):
            (tmp_path / folder / name).touch()
    (tmp_path / ".git" / "credentials").touch()
    found = examine(tmp_path, CallerFolder())
    places = [f"{folder}/{name}" for folder in (".git", ".venv", "a/venv") for name in (".env", "secrets.env")]
    assert sorted(found.hidden) == sorted(str(tmp_path / place) for place in (*places, ".git/credentials"))
    assert sorted(found.protected) == [str(tmp_path / place) for place in (".git", ".venv", "a/venv")]


def test_a_copy_that_somebody_kept_of_a_secret_is_hidden(tmp_path: Path, subtests: pytest.Subtests) -> None:
    for number, name in enumerate(
        [
            *("secrets.env~", ".netrc.bak", "#secrets.env#", ".env.swp", "id_rsa.old", ".pgpass~", ".netrc.~1~"),
            *("secrets.env copy", "secrets.env copy 2", "secrets.env (copy)", "secrets.env (1)", "secrets.env - Copy"),
            *("secrets.env_bak", ".netrc-old", ".npmrc.backup", ".netrc2", ".pgpass_2026-11-24"),
        ]
    ):
        with subtests.test(name=name):
            root = tmp_path / str(number)
            root.mkdir()
            (root / name).touch()
            assert examine(root, CallerFolder()).hidden == (str(root / name),)


def test_every_other_name_of_a_kept_file_counts_as_it_does(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    for name, other in ((".env", "a/plain"), (".bashrc", "a/bashrc"), ("note", "a/note")):
        (tmp_path / name).touch()
        (tmp_path / other).hardlink_to(tmp_path / name)
    found = examine(tmp_path, CallerFolder())
    assert found.hidden == (str(tmp_path / ".env"), str(tmp_path / "a" / "plain"))
    assert found.protected == (str(tmp_path / ".bashrc"), str(tmp_path / "a" / "bashrc"))


def test_sockets_and_pipes_are_hidden_for_they_lead_out_of_a_folder_that_is_only_read(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    os.mkfifo(tmp_path / ".git" / "pipe")
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(tmp_path / "door"))
        assert sorted(examine(tmp_path, CallerFolder()).hidden) == [
            str(tmp_path / ".git" / "pipe"),
            str(tmp_path / "door"),
        ]


def test_a_folder_that_is_itself_a_secret_or_in_one_is_refused(tmp_path: Path) -> None:
    (tmp_path / ".ssh" / "keys").mkdir(parents=True)
    for place in (".ssh", ".ssh/keys"):
        with pytest.raises(RefusedError, match="holds secrets"):
            examine(tmp_path / place, CallerFolder())


def test_nobody_lets_commands_write_inside_what_programs_obey(tmp_path: Path, subtests: pytest.Subtests) -> None:
    for number, place in enumerate([".git", ".git/hooks", ".venv/bin", "bare/hooks", "bare"]):
        with subtests.test(place=place):
            root = tmp_path / str(number)
            root.mkdir()
            (root / place).mkdir(parents=True)
            for name in ("HEAD", "objects", "refs"):
                (root / "bare" / name).mkdir(parents=True)
            with pytest.raises(RefusedError, match="programs obey"):
                check_writing(root / place, ())
            (root / "bare" / "tree").mkdir()
            check_writing(root / "bare" / "tree", ())


def test_where_a_link_stands_for_what_is_kept_nothing_is_written(tmp_path: Path, subtests: pytest.Subtests) -> None:
    for number, (target, name) in enumerate(
        product(
            ["there", "nowhere", "/etc/hostname"],
            ["agent.toml", "secrets.env", ".git", ".bashrc", ".env", "a/.venv", "conf/settings"],
        )
    ):
        with subtests.test(name=name, target=target):
            root = tmp_path / str(number)
            root.mkdir()
            (root / "there").touch()
            link = root / name
            link.parent.mkdir(exist_ok=True)
            link.symlink_to(root / target)
            decisions = CallerFolder(may_write=True, unchanging=(root / "conf" / "settings",))
            with pytest.raises(RefusedError, match=f"{name} is a link"):
                examine(root, decisions)


def test_stores_and_hooks_of_git_are_protected_wherever_they_are(tmp_path: Path) -> None:
    for store in ("apart", "bare.git"):
        for name in ("HEAD", "objects", "refs"):
            (tmp_path / store / name).mkdir(parents=True)
    (tmp_path / "tree" / ".git").mkdir(parents=True)
    (tmp_path / "tree" / "tools").mkdir()
    (tmp_path / "tree" / ".git" / "config").write_text('[core]\n\tbare = false\n\thooksPath = "tools"\n')
    found = examine(tmp_path, CallerFolder(may_write=True))
    assert sorted(found.protected) == [str(tmp_path / p) for p in ("apart", "bare.git", "tree/.git", "tree/tools")]


@pytest.mark.req("X-233")
def test_files_that_gits_settings_name_are_protected(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    for name in ("shared.inc", "diff.sh", "sign", "other", "pager sh"):
        (tmp_path / name).touch()
    (tmp_path / ".git" / "config").write_text(
        '[include]\n\tpath = ../shared.inc\n[diff "x"]\n\tcommand = ./diff.sh --all\n[gpg]\nprogram="./sign"\n'
        "[alias]\n  all = !./sign\n[core]\n\tpager = pager sh\n[remote]\n\turl = /etc/passwd\n\tname = nothing\n"
    )
    found = examine(tmp_path, CallerFolder(may_write=True))
    assert sorted(found.protected) == [
        str(tmp_path / name) for name in (".git", "diff.sh", "pager sh", "shared.inc", "sign")
    ]


@pytest.mark.req("X-233")
def test_where_a_file_system_takes_another_spelling_for_a_kept_name_no_command_runs(tmp_path: Path) -> None:
    def in_any_case(path: str) -> bool:
        folder, name = os.path.split(path)
        return name.casefold() in {each.name.casefold() for each in Path(folder).iterdir()}

    examine(tmp_path, CallerFolder(exists=in_any_case))
    for name in (".env", ".vscode"):
        (tmp_path / name).touch()
        with pytest.raises(RefusedError, match=f"treats {name.upper()} and {name} as one name"):
            examine(tmp_path, CallerFolder(exists=in_any_case))
        (tmp_path / name.upper()).touch()
        examine(tmp_path, CallerFolder(exists=in_any_case))


def test_what_links_of_the_home_directory_lead_to_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "home").mkdir()
    (tmp_path / "dotfiles" / "keys").mkdir(parents=True)
    (tmp_path / "dotfiles" / "rc").touch()
    (tmp_path / "home" / ".bashrc").symlink_to("../dotfiles/rc")
    (tmp_path / "home" / ".ssh").symlink_to("../dotfiles/keys")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    found = examine(tmp_path / "dotfiles", CallerFolder())
    assert found.hidden == (str(tmp_path / "dotfiles" / "keys"),)
    assert found.protected == (str(tmp_path / "dotfiles" / "rc"),)


def test_what_would_be_private_or_obeyed_but_is_not_there_is_named_from_outside_in(tmp_path: Path) -> None:
    (tmp_path / "conf").mkdir()
    (tmp_path / "agent.toml").touch()
    private = (tmp_path / "deep" / "data", tmp_path / "conf" / "secrets.env", tmp_path / "conf", Path("/nowhere"))
    gone = missing(tmp_path, CallerFolder(private=private))
    reserved = [tmp_path / name for name in RESERVED_FOLDERS]
    assert gone == [tmp_path / "secrets.env", *reserved, tmp_path / "deep", tmp_path / "conf" / "secrets.env"]


def test_no_name_is_looked_at_for_long(subtests: pytest.Subtests) -> None:
    for part in ["copy ", "-1", " (1)", "11", ". "]:
        with subtests.test(part=part):
            assert not is_secret(".netrc" + part * 60 + "x", "here")

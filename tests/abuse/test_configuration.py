"""Escapes by configuration: what commands of `agent-cli --write` leave for the user's own programs, class by class."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from actors.shell.sandbox.obeyed_names import is_obeyed
from tests.actors.cli.command import run

PLANTED = {
    "start-up files": "for f in .bashrc .profile .zshrc .inputrc; do echo touch ran > $f; done; mkdir x; cp .bashrc x",
    "hooks": "mkdir -p .husky sub/.git/hooks sub/.git/objects sub/.git/refs; echo x > sub/.git/HEAD; "
    "cp /bin/true sub/.git/hooks/post-checkout; echo x > .pre-commit-config.yaml",
    "a store of git under another name": "mkdir -p bare/objects bare/refs; echo 'ref: refs/heads/main' > bare/HEAD; "
    "printf '[core]\\nfsmonitor=touch ran\\n' > bare/config",
    "settings": "mkdir -p .claude .codex .gemini x/.agents; echo '{}' | tee .claude/settings.json x/.agents/a AGENTS.md",
    "servers of tools": "mkdir -p .cursor x; echo '{}' | tee .mcp.json .cursor/mcp.json x/mcp.json",
    "links": "ln -s ../outside/file notes; ln -s .. up; ln -s /etc/passwd accounts; ln -s notes .vimrc",
    "line feeds and other letters in names": "touch $'.bash_\\nlogin' .GIT '.Vscode ' $'.g\\u200cit' $'a\\n.env'",
    "variables of the dynamic linker": "echo LD_PRELOAD=$PWD/x.so | tee .env .envrc .env.local .mise.toml ld.so.preload",
    "folders of editors": "mkdir -p .vscode .idea x/.vscode .devcontainer; echo '{}' > x/.vscode/tasks.json",
    "folders that are shut": "mkdir -p shut/.git/objects shut/.git/refs; echo x > shut/.git/HEAD; chmod 311 shut",
}
"""Class -> a command that plants it, in a folder where nothing of it was."""


@pytest.mark.req("X-233")
@pytest.mark.parametrize("kind", PLANTED)
def test_no_class_of_configuration_outlives_the_turn_in_the_callers_folder(kind: str, tmp_path: Path) -> None:
    here = tmp_path / "project"
    here.mkdir()
    (here / "notes.md").write_text("mine")

    done = run(
        "agent-cli", "--write", f"run: {PLANTED[kind]}; echo planted-$((40 + 2)); echo more >> notes.md", cwd=here
    )

    (here / "shut").chmod(0o755) if (here / "shut").exists() else None
    left = [path for path in here.rglob("*") if is_obeyed(path.name, path.parent.name)]
    out = [path for path in here.rglob("*") if path.is_symlink() and "set-aside" not in path.name]
    stores = [path for path in here.rglob("HEAD") if path.parent.joinpath("refs").exists()]
    assert "planted-42" in done.stdout, done
    assert [left, out, [path for path in stores if "shut" not in str(path)]] == [[], [], []]
    assert "set-aside" in done.stderr
    assert "\n." not in done.stderr
    assert (here / "notes.md").read_text() == "minemore\n"


@pytest.mark.req("X-233")
def test_git_of_the_user_runs_nothing_that_a_command_planted(tmp_path: Path) -> None:
    here = tmp_path / "project"
    here.mkdir()
    plant = (
        "for d in . sub; do mkdir -p $d; git -C $d init -q . ; "
        "printf '[core]\\nfsmonitor = touch %s/ran\\n' $PWD >> $d/.git/config; done; ls -a . sub"
    )
    run("agent-cli", "--write", f"run: {plant}", cwd=here)
    for folder in (here, *(path for path in here.rglob("*") if path.is_dir())):
        subprocess.run(["git", "status"], cwd=folder, capture_output=True, check=False)
    assert list(tmp_path.rglob("ran")) == []


@pytest.mark.req("X-233")
def test_what_was_there_is_read_only_and_folders_that_programs_watch_cannot_even_be_made(tmp_path: Path) -> None:
    (tmp_path / ".zed").mkdir()
    command = "for d in .git .vscode .claude .zed; do mkdir -p $d; touch $d/x && echo made-$((1 + 1)) in $d; done"

    done = run("agent-cli", "--write", f"run: {command}", cwd=tmp_path)

    assert "made-2" not in done.stdout
    assert [path.name for path in tmp_path.rglob("*")] == [".zed"]
    assert done.stderr == ""

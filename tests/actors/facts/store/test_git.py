from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from messages.facts import FACTS, AddEntry, EntryAdded
from tests.actors.facts.running import RunningFacts
from tests.patience import eventually

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="there is no git on this machine")


def git(folder: Path, *arguments: str) -> str:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    command = ("git", "-C", str(folder), *arguments)
    return subprocess.run(command, capture_output=True, text=True, check=True, env=environment).stdout


def commits(folder: Path) -> int:
    try:
        return int(git(folder, "rev-list", "--count", "HEAD"))
    except subprocess.CalledProcessError:
        return 0


@pytest.mark.req("S2-15", "S2-34", "S2-35", "S2-36", "S2-75")
def test_every_change_is_committed_and_what_can_be_made_again_is_not(tmp_path: Path) -> None:
    with RunningFacts(tmp_path, enable_git_versioning=True) as facts:
        facts.add("The user likes tea")
        eventually(lambda: "likes tea" in git_show(facts.memory))
        facts.forget(facts.add("The user has a dog"))
        eventually(lambda: "deleted/facts" in git(facts.memory, "ls-files"))

    files = git(facts.memory, "ls-files").split("\n")
    assert ".gitignore" in files
    assert not {"memory_index.json", ".journal.jsonl"} & set(files)
    assert "memory_index.json" in (facts.memory / ".gitignore").read_text()
    assert git(facts.memory, "status", "--porcelain") == ""


def git_show(folder: Path) -> str:
    return git(folder, "log", "--patch") if commits(folder) else ""


@pytest.mark.req("S2-34", "S2-95")
def test_without_the_setting_there_is_no_repository(tmp_path: Path) -> None:
    with RunningFacts(tmp_path) as facts:
        facts.add("The user likes tea")

    assert not (facts.memory / ".git").exists()
    assert not (facts.memory / ".gitignore").exists()


@pytest.mark.req("S2-35")
def test_an_ignore_file_that_is_there_stays_and_the_journal_is_not_committed(tmp_path: Path) -> None:
    (tmp_path / "memory_db").mkdir()
    (tmp_path / "memory_db" / ".gitignore").write_text("mine\n")
    with RunningFacts(tmp_path, enable_git_versioning=True) as facts:
        facts.add("The user likes tea")
        eventually(lambda: commits(facts.memory) >= 1)

    assert (facts.memory / ".gitignore").read_text() == "mine\n"
    assert ".journal.jsonl" not in git(facts.memory, "ls-files")


def test_a_repository_around_it_is_left_alone_and_its_hooks_and_settings_count_for_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    git_init = subprocess.run(("git", "init", "-q", str(tmp_path)), check=True)
    assert git_init.returncode == 0
    planted = tmp_path / "planted"
    monkeypatch.setenv("GIT_TRACE", str(planted))
    with RunningFacts(tmp_path, enable_git_versioning=True) as facts:
        eventually(lambda: commits(facts.memory) >= 1)
        for name in ("pre-commit", "post-commit", "post-index-change", "reference-transaction"):
            hook = facts.memory / ".git" / "hooks" / name
            hook.parent.mkdir(exist_ok=True)
            hook.write_text(f"#!/bin/sh\n: > '{planted}'\nexit 1\n")
            hook.chmod(0o755)
        git(facts.memory, "config", "commit.gpgSign", "true")
        facts.add("The user likes tea")
        eventually(lambda: "likes tea" in git_show(facts.memory))

    assert commits(tmp_path) == 0
    assert not planted.exists()


@pytest.mark.req("S2-37")
def test_a_git_that_hangs_delays_nobody_and_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    programs, begun, go = tmp_path / "bin", tmp_path / "begun", tmp_path / "go"
    programs.mkdir()
    slow = programs / "git"
    slow.write_text(f"#!/bin/sh\n: > {begun}\nwhile [ ! -e {go} ]; do sleep 0.05; done\necho no >&2\nexit 3\n")
    slow.chmod(0o755)
    monkeypatch.setenv("PATH", f"{programs}:{os.environ['PATH']}")
    with RunningFacts(tmp_path, enable_git_versioning=True) as facts:
        eventually(begun.exists)
        for text in ("The user likes tea", "The user has a dog"):
            assert isinstance(facts.answer(FACTS, AddEntry, conversation="c", text=text), EntryAdded)
        assert facts.figures()["trouble"] == "none"
        go.touch()
        eventually(lambda: "git init ended with 3: no" in str(facts.figures()["trouble"]))


LOCKS = (
    *("index.lock", "HEAD.lock", "config.lock", "packed-refs.lock", "refs/heads/main.lock", "objects/maintenance.lock"),
    *("refs/heads/a/b.lock", "objects/info/commit-graphs/commit-graph-chain.lock", "worktrees/w/index.lock", "gc.pid"),
)


@pytest.mark.req("X-225")
def test_no_lock_of_a_killed_git_stops_commits_and_the_log_names_each(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """As chaitanyagiri/munder-difflin#378, SwiftPackageIndex/SwiftPackageIndex-Server#372 and projectkudu/kudu#1798."""
    with RunningFacts(tmp_path, enable_git_versioning=True) as facts:
        facts.add("The user likes tea")
        eventually(lambda: "likes tea" in git_show(facts.memory))
    for name in LOCKS:
        lock = facts.memory / ".git" / name
        lock.parent.mkdir(parents=True, exist_ok=True)
        lock.touch()
        os.utime(lock, (1, 1))
    with RunningFacts(tmp_path, enable_git_versioning=True) as facts:
        facts.add("The user has a dog")
        eventually(lambda: "has a dog" in git_show(facts.memory))
    assert [name for name in LOCKS if (facts.memory / ".git" / name).exists()] == []
    assert [name for name in LOCKS if str(facts.memory / ".git" / name) not in caplog.text] == []


@pytest.mark.req("X-225")
def test_a_lock_that_is_not_stale_yet_is_left_and_the_commit_is_tried_again(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """As manuveli/git-ha-ppens#81 and forecast-bio/crosslink#456 report of commits that stop without a word."""
    with RunningFacts(tmp_path, enable_git_versioning=True, commit_again_s=0.1) as facts:
        facts.add("The user likes tea")
        eventually(lambda: "likes tea" in git_show(facts.memory))
        lock = facts.memory / ".git" / "HEAD.lock"
        lock.touch()
        facts.add("The user has a dog")
        eventually(lambda: "HEAD.lock" in str(facts.figures()["trouble"]))
        assert lock.exists()
        lock.unlink()
        eventually(lambda: "has a dog" in git_show(facts.memory))
        eventually(lambda: facts.figures()["trouble"] == "none")
    assert caplog.text.count("are not committed") == 1


def test_the_lock_of_a_git_that_was_killed_and_odd_lists_of_files_are_in_nobody_s_way(tmp_path: Path) -> None:
    with RunningFacts(tmp_path, enable_git_versioning=True) as facts:
        facts.add("The user likes tea")
        eventually(lambda: "likes tea" in git_show(facts.memory))
    lock = facts.memory / ".git" / "index.lock"
    lock.touch()
    os.utime(lock, (1, 1))
    (facts.memory / ".git" / "info" / "exclude").write_bytes(b"\xff\n")

    with RunningFacts(tmp_path, enable_git_versioning=True) as facts:
        facts.add("The user has a dog")
        eventually(lambda: "has a dog" in git_show(facts.memory))
    assert not lock.exists()

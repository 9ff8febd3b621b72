"""Repositories as sources of skills: one commit, without hooks, submodules, prompts or a work tree, within bounds."""

from __future__ import annotations

import os
import subprocess
import tarfile
from collections.abc import Mapping
from pathlib import Path

import pytest

from actors.cli.skills.git import Address, Fetched, fetch, git_address
from actors.skills.foreign.package import read_package
from actors.skills.foreign.source import open_source
from tests.actors.skills.foreign.packing import TEA, write_folder
from tests.patience import PATIENCE_S

OWN: Mapping[str, str] = {
    "PATH": os.environ["PATH"],
    "GIT_CONFIG_GLOBAL": "/dev/null",
    "GIT_CONFIG_NOSYSTEM": "1",
    **{f"GIT_{who}_{what}": "t@example.org" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")},
}


def git(folder: Path, *arguments: str, given: bytes | None = None) -> str:
    done = subprocess.run(
        ["git", "-C", str(folder), *arguments],
        env=dict(OWN),
        input=given,
        capture_output=True,
        timeout=PATIENCE_S,
        check=True,
    )
    return done.stdout.decode().strip()


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """Two commits of a skill, the first with a tag."""
    folder = write_folder(tmp_path / "repository", TEA)
    git(folder, "init", "--quiet", "--initial-branch=main")
    git(folder, "add", ".")
    git(folder, "commit", "--quiet", "--message=one")
    git(folder, "tag", "v1")
    write_folder(folder, {"tea/new.md": b"new\n"})
    git(folder, "add", ".")
    git(folder, "commit", "--quiet", "--message=two")
    return folder


def fetch_from(
    repository: Path, into: Path, ref: str = "", environ: Mapping[str, str] = OWN, **bounds: float
) -> Fetched:
    into.mkdir()
    return fetch(Address(f"file://{repository}", ref), into, environ, **bounds)  # type: ignore[arg-type]


@pytest.mark.req("X-267")
def test_one_commit_comes_by_branch_tag_or_hash_and_is_named(repository: Path, tmp_path: Path) -> None:
    first, second = git(repository, "rev-parse", "v1"), git(repository, "rev-parse", "main")
    cases = {"": second, "main": second, "v1": first, first: first}
    for number, (ref, commit) in enumerate(cases.items()):
        got = fetch_from(repository, tmp_path / str(number), ref)
        package = read_package(open_source(got.archive))
        assert (got.commit, "new.md" in package.files) == (commit, commit == second)
    objects = git(tmp_path / "0" / "repository.git", "rev-list", "--count", "FETCH_HEAD")
    assert objects == "1", "of two commits, one is fetched"


@pytest.mark.req("X-267")
def test_nothing_of_a_repository_is_checked_out_or_run(repository: Path, tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    write_folder(
        repository,
        {
            "tea/.gitattributes": b"*.md filter=evil\n",
            ".gitmodules": f'[submodule "x"]\n\tpath = x\n\turl = file://{repository}\n'.encode(),
        },
    )
    git(repository, "config", "filter.evil.smudge", f"touch {mark}")
    git(repository, "config", "uploadpack.packObjectsHook", f"touch {mark}; exec")
    for hook in ("post-checkout", "post-merge", "pre-auto-gc", "reference-transaction"):
        (repository / ".git" / "hooks" / hook).write_text(f"#!/bin/sh\ntouch {mark}\n")
        (repository / ".git" / "hooks" / hook).chmod(0o755)
    git(repository, "-c", "core.hooksPath=/dev/null", "add", ".")
    commit = git(repository, "rev-parse", "main")
    git(repository, "update-index", "--add", "--cacheinfo", f"160000,{commit},x")
    git(repository, "-c", "core.hooksPath=/dev/null", "commit", "--quiet", "--message=three")
    mark.unlink(missing_ok=True)
    templates = write_folder(
        tmp_path / "templates", {"hooks/reference-transaction": f"#!/bin/sh\ntouch {mark}\n".encode()}
    )
    (templates / "hooks" / "reference-transaction").chmod(0o755)
    config = tmp_path / "config"
    config.write_text(f"[init]\n\ttemplateDir = {templates}\n[core]\n\thooksPath = {templates}/hooks\n")

    environ = {**OWN, "GIT_CONFIG_GLOBAL": str(config), "GIT_TEMPLATE_DIR": str(templates), "HOME": str(tmp_path)}
    got = fetch_from(repository, tmp_path / "into", environ=environ)

    assert not mark.exists()
    with tarfile.open(got.archive) as archive:
        assert "tea/SKILL.md" in archive.getnames()
    assert sorted(path.name for path in (tmp_path / "into").iterdir()) == ["fetched.tar", "repository.git", "said"]
    assert read_package(open_source(got.archive)).name == "tea"


@pytest.mark.req("X-267")
def test_a_repository_of_a_few_bytes_that_unpacks_to_all_disks_is_stopped(tmp_path: Path) -> None:
    """A tree whose folders are the same folder again and again, as the public "git bomb" has it."""
    folder = tmp_path / "bomb"
    folder.mkdir()
    git(folder, "init", "--quiet", "--bare", "--initial-branch=main")
    kind, name = "blob", git(folder, "hash-object", "-w", "--stdin", given=b"x" * 1_000)
    for _ in range(10):
        mode = "100644" if kind == "blob" else "040000"
        lines = "".join(f"{mode} {kind} {name}\t{letter}\n" for letter in "abcdefghij")
        kind, name = "tree", git(folder, "mktree", given=lines.encode())
    git(folder, "update-ref", "refs/heads/main", git(folder, "commit-tree", name, "-m", "bomb"))

    with pytest.raises(ValueError, match="git archive: wrote more than 3000000 bytes"):
        fetch_from(folder, tmp_path / "into", most_bytes=3_000_000)


def test_a_fetch_that_takes_too_long_is_ended_with_all_that_it_started(tmp_path: Path) -> None:
    pipe, pause = tmp_path / "pipe", "sleep 600"
    os.mkfifo(pipe)
    program = write_folder(tmp_path / "bin", {"git": f"#!/bin/sh\n{pause} > {pipe} &\n{pause}\n".encode()}) / "git"
    program.chmod(0o755)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)

    with pytest.raises(ValueError, match="git init: did not end within its time"):
        fetch_from(tmp_path, tmp_path / "into", environ={"PATH": f"{program.parent}:/usr/bin:/bin"}, deadline_s=0.3)

    os.set_blocking(reader, True)
    assert os.read(reader, 1) == b"", "the writer at the other end is gone"
    os.close(reader)


@pytest.mark.req("X-267")
@pytest.mark.parametrize("address", ["git://example.org/x", "http://example.org/x", "ftp://example.org/x"])
def test_other_protocols_are_refused(address: str) -> None:
    with pytest.raises(ValueError, match="its protocol must be one of https, ssh, file"):
        git_address(address)


@pytest.mark.req("X-267")
@pytest.mark.parametrize("address", ["ext::sh -c touch% x", "fd::17/foo"])
def test_helpers_that_run_programs_are_not_allowed_to_git(address: str, tmp_path: Path) -> None:
    assert git_address(address) is None
    with pytest.raises(ValueError, match=r"git fetch: .*not allowed"):
        fetch(Address(address), tmp_path, OWN)


def test_a_reference_is_never_an_option(repository: Path, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="ref '--upload-pack=x': must be a branch, a tag or a commit"):
        fetch_from(repository, tmp_path / "a", "--upload-pack=x")
    with pytest.raises(ValueError, match="git fetch: "):
        fetch_from(repository, tmp_path / "b", "no-such-branch")
    with pytest.raises(ValueError, match="git fetch: "):
        fetch_from(tmp_path / "missing", tmp_path / "c")


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("https://example.org/a/b", Address("https://example.org/a/b")),
        ("ssh://git@example.org/a/b.git", Address("ssh://git@example.org/a/b.git")),
        ("git@example.org:a/b.git", Address("git@example.org:a/b.git")),
        ("https://github.com/a/b/tree/main/skills/pdf", Address("https://github.com/a/b", "main", "skills/pdf")),
        ("https://gitlab.example/a/b/-/tree/v1/", Address("https://gitlab.example/a/b", "v1", "")),
        ("skills/pdf", None),
        ("./a.zip", None),
        ("~/skills", None),
    ],
)
def test_addresses_and_paths_are_told_apart(text: str, address: Address | None) -> None:
    assert git_address(text) == address


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("https://key@example.org/a", "must hold no name and password"),
        ("https://a:b@example.org/a", "must hold no name and password"),
        ("https://a:b@example.org/a/b/tree/main/c", "must hold no name and password"),
        ("ssh://git:b@example.org/a", "must hold no name and password"),
        ("https://example.org/a.zip", "is no repository of git; fetch the archive"),
    ],
)
def test_addresses_with_passwords_and_of_archives_are_refused(text: str, rule: str) -> None:
    with pytest.raises(ValueError, match=rule) as refused:
        git_address(text)
    assert "key@" not in str(refused.value)
    assert "a:b" not in str(refused.value)


def test_without_git_the_reason_is_told(repository: Path, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="there is no git on this machine"):
        fetch_from(repository, tmp_path / "into", environ={"PATH": str(tmp_path)})

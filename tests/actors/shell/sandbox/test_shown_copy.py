from __future__ import annotations

import os
import subprocess
import time
from pathlib import Path

import pytest

from actors.shell.sandbox.caller_folder import CallerFolder, examine
from actors.shell.sandbox.shown_copy import MOST_BYTES, copy_without_secrets, without_secrets

TOKEN = "ghp_0123456789abcdefghijABCDEFGHIJ012345"
GIT_CONFIG = f"""[core]
\trepositoryformatversion = 0
\tbare = false
[remote "origin"]
\turl = https://x-access-token:{TOKEN}@github.com/owner/name.git
\tfetch = +refs/heads/*:refs/remotes/origin/*
[remote "by-token-alone"]
\turl = https://{TOKEN}@github.com/owner/name.git
[remote "by-ssh"]
\turl = ssh://git@example.org/owner/name.git
\tpushurl = ssh://git:{TOKEN}@example.org/owner/name.git
[http "https://github.com/"]
\textraheader = AUTHORIZATION: basic eDp7VE9LRU59eDp7VE9LRU59
[http]
\tproxy = http://me:{TOKEN}@proxy.example.org:8080
\tcookieFile = {TOKEN}
[credential]
\thelper = "!f() {{ \\
\t\techo password={TOKEN}; \\
\t}}; f"
[url "https://me:{TOKEN}@github.com/"]
\tinsteadOf = https://github.com/
[sendemail]
\tsmtpPass = {TOKEN}
[user]
\tname = Alice Author
\tsigningkey = 0123ABCD
[branch "main"]
\tremote = origin
\tmerge = refs/heads/main
[alias]
\tlast = log -1 {TOKEN}
"""
SHOWN = """[core]
\trepositoryformatversion = 0
\tbare = false
[remote "origin"]
\turl = https://github.com/owner/name.git
\tfetch = +refs/heads/*:refs/remotes/origin/*
[remote "by-token-alone"]
\turl = https://github.com/owner/name.git
[remote "by-ssh"]
\turl = ssh://git@example.org/owner/name.git
\tpushurl = ssh://git@example.org/owner/name.git
[http "https://github.com/"]
[http]
\tproxy = http://proxy.example.org:8080
[credential]
[url "https://github.com/"]
\tinsteadOf = https://github.com/
[sendemail]
[user]
\tname = Alice Author
[branch "main"]
\tremote = origin
\tmerge = refs/heads/main
[alias]
"""


def repository(root: Path, config: str = GIT_CONFIG, store: str = ".git") -> Path:
    """A folder with a repository's store, as far as its names."""
    for name in ("objects", "refs"):
        (root / store / name).mkdir(parents=True)
    (root / store / "HEAD").write_text("ref: refs/heads/main\n")
    (root / store / "config").write_text(config)
    return root / store / "config"


def test_of_git_s_settings_all_is_shown_but_what_is_secret() -> None:
    assert without_secrets(GIT_CONFIG) == SHOWN
    assert without_secrets(SHOWN) == SHOWN


def test_git_reads_the_copy(tmp_path: Path) -> None:
    (tmp_path / "config").write_text(without_secrets(GIT_CONFIG))
    listed = subprocess.run(
        ["git", "config", "--file", "config", "--list"], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert "remote.origin.url=https://github.com/owner/name.git" in listed.stdout
    assert TOKEN not in listed.stdout


def test_other_programs_keep_their_settings_without_their_secrets(subtests: pytest.Subtests) -> None:
    for text, shown in (
        (
            "org.gradle.jvmargs=-Xmx2g\nsigning.password=hunter2hunter2\nossrhPassword = x\n",
            "org.gradle.jvmargs=-Xmx2g\n",
        ),
        (
            "[global]\nindex-url = https://me:pw@pypi.example.org/simple\n",
            "[global]\nindex-url = https://pypi.example.org/simple\n",
        ),
        ("npmAuthToken: abc\nnodeLinker: node-modules\n", "nodeLinker: node-modules\n"),
        (
            "[paths]\ndefault = https://me:pw@hg.example.org/\n[auth]\nx.password = y\n",
            "[paths]\ndefault = https://hg.example.org/\n[auth]\n",
        ),
        ("authorsfile = names\nauthor.name = A\n", "authorsfile = names\nauthor.name = A\n"),
        ("a = b\r\ntoken = \\\r\n  rest\r\nc = d\r\n", "a = b\r\nc = d\r\n"),
    ):
        with subtests.test(text=text):
            assert without_secrets(text) == shown


def test_every_settings_file_that_holds_a_secret_is_found_and_the_others_are_shown_as_they_are(tmp_path: Path) -> None:
    secret, harmless = f"url = https://{TOKEN}@example.org/\n", "url = https://example.org/\n"
    places = (
        ".git/config",
        "apart/config",
        "a/b/.gitmodules",
        ".hg/hgrc",
        "a/gradle.properties",
        ".lfsconfig",
        "pip.conf",
    )
    repository(tmp_path, secret)
    repository(tmp_path, secret, "apart")
    repository(tmp_path / "harmless", harmless)
    for place in places:
        (tmp_path / place).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / place).write_text(secret)
    (tmp_path / "a" / "config").write_text(secret)

    found = examine(tmp_path, CallerFolder())

    assert dict(found.copies) == {str(tmp_path / place): harmless.encode() for place in places}
    assert found.hidden == ()
    assert str(tmp_path / ".lfsconfig") in examine(tmp_path, CallerFolder(may_write=True)).protected


def test_what_cannot_be_looked_through_is_hidden_and_nothing_is_waited_for(tmp_path: Path) -> None:
    config = repository(tmp_path, f"x = {'y' * MOST_BYTES}\n")
    (tmp_path / ".gitmodules").write_bytes(b"\xff\xfe")
    (tmp_path / "a").mkdir()
    os.mkfifo(tmp_path / "a" / ".gitmodules")

    found = examine(tmp_path, CallerFolder())

    assert sorted(found.hidden) == sorted(map(str, (config, tmp_path / ".gitmodules", tmp_path / "a" / ".gitmodules")))
    assert found.copies == ()


def test_another_name_of_such_a_file_is_hidden(tmp_path: Path) -> None:
    config = repository(tmp_path)
    (tmp_path / "notes.txt").hardlink_to(config)
    (tmp_path / "link").symlink_to(config)

    found = examine(tmp_path, CallerFolder())

    assert found.hidden == (str(tmp_path / "notes.txt"),)
    assert [path for path, _ in found.copies] == [str(config)]


def test_no_link_in_its_place_is_read(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").write_text(f"token = {TOKEN}\n")
    (tmp_path / "link").symlink_to("elsewhere")
    with pytest.raises(OSError, match="symbolic"):
        copy_without_secrets(str(tmp_path / "link"))


def test_a_text_that_was_made_to_take_long_does_not(tmp_path: Path) -> None:
    for line in ("a" * 1_999, "-" * 1_999, "://" * 660, "a.b-" * 499, "x://a:" * 333, "pass" * 499, '"' * 1_999):
        (tmp_path / "config").write_text(f"{line}\n" * (MOST_BYTES // 2_000 // 4))
        began = time.process_time()
        copy_without_secrets(str(tmp_path / "config"))
        assert time.process_time() - began < 5, line[:10]

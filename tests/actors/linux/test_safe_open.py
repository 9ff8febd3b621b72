from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from actors.linux import safe_open
from actors.linux.safe_open import folder_beneath, open_beneath, read_beneath

LIMIT = 1_000
LESSEE = """
import fcntl, signal, sys
signal.signal(signal.SIGIO, signal.SIG_IGN)
with open(sys.argv[1], "r+b") as file:
    fcntl.fcntl(file, fcntl.F_SETLEASE, fcntl.F_WRLCK)
    print("leased", flush=True)
    sys.stdin.readline()
"""
"""A program that holds a lease on a file and gives it back only when asked; a plain `open` waits for 45 seconds."""
SECRET = b"DISCORD_BOT_TOKEN=not-for-you"


def empty(folder: Path) -> None:
    shutil.rmtree(folder)
    folder.mkdir()


Attack = Callable[[Path, Path], str]
"""Prepares a folder, given the secret's path; gives the name to ask for."""


@pytest.fixture
def secret(tmp_path: Path) -> Path:
    path = tmp_path / "secrets.env"
    path.write_bytes(SECRET)
    return path


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    path = tmp_path / "work"
    path.mkdir()
    return path


def link_to_the_secret(folder: Path, secret: Path) -> str:
    (folder / "a.png").symlink_to(secret)
    return "a.png"


def link_to_the_secrets_folder(folder: Path, secret: Path) -> str:
    (folder / "pictures").symlink_to(secret.parent)
    return f"pictures/{secret.name}"


def way_up(folder: Path, secret: Path) -> str:
    return f"../{secret.name}"


def absolute_path(folder: Path, secret: Path) -> str:
    return str(secret)


def magic_link(folder: Path, secret: Path) -> str:
    (folder / "root").symlink_to("/proc/self/root")
    return f"root{secret}"


def second_name(folder: Path, secret: Path) -> str:
    (folder / "a.png").hardlink_to(secret)
    return "a.png"


def fifo(folder: Path, secret: Path) -> str:
    os.mkfifo(folder / "a.png")
    return "a.png"


def socket_file(folder: Path, secret: Path) -> str:
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(folder / "a.png"))
    return "a.png"


def whole_folder(folder: Path, secret: Path) -> str:
    (folder / "a.png").mkdir()
    return "a.png"


def huge_file(folder: Path, secret: Path) -> str:
    with (folder / "a.png").open("wb") as file:
        file.truncate(1 << 40)
    return "a.png"


def loop_of_links(folder: Path, secret: Path) -> str:
    (folder / "a.png").symlink_to("a.png")
    return "a.png"


def nothing(folder: Path, secret: Path) -> str:
    return ""


def hidden_end(folder: Path, secret: Path) -> str:
    (folder / "a").write_bytes(b"x")
    return "a\0.png"


def open_files() -> int:
    return sum(1 for _ in Path("/proc/self/fd").iterdir())


ATTACKS: dict[Attack, str] = {
    link_to_the_secret: "link",
    link_to_the_secrets_folder: "link",
    way_up: "below the folder",
    absolute_path: "below the folder",
    magic_link: "link",
    second_name: "2 names",
    fifo: "regular file",
    socket_file: "regular file",
    whole_folder: "regular file",
    huge_file: "at most 1000",
    loop_of_links: "link",
    nothing: "empty",
    hidden_end: "NUL",
}


def test_an_attack_is_refused_with_the_rule_that_it_breaks(
    folder: Path, secret: Path, subtests: pytest.Subtests
) -> None:
    for attack in ATTACKS:
        with subtests.test(attack=attack):
            empty(folder)
            name = attack(folder, secret)
            before = open_files()

            with pytest.raises(ValueError, match=ATTACKS[attack]):
                open_beneath(folder, name, LIMIT)

            assert open_files() == before, "a descriptor was left open"


def test_a_plain_open_falls_for_the_same_attack(folder: Path, secret: Path, subtests: pytest.Subtests) -> None:
    for attack in [link_to_the_secret, link_to_the_secrets_folder, second_name, magic_link]:
        with subtests.test(attack=attack):
            empty(folder)
            assert (folder / attack(folder, secret)).read_bytes() == SECRET


def test_a_good_file_is_opened(folder: Path, subtests: pytest.Subtests) -> None:
    for name in ["a.png", "deep/er/a.png", "-rf", "two\nlines\x1b[31m", "ü" * 127]:
        with subtests.test(name=name):
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_bytes(b"picture")

            with os.fdopen(open_beneath(folder, name, LIMIT), "rb") as file:
                assert file.read(LIMIT) == b"picture"


def test_a_file_of_just_the_largest_size_is_opened(folder: Path) -> None:
    (folder / "a").write_bytes(b"x" * LIMIT)

    os.close(open_beneath(folder, "a", LIMIT))


def test_no_program_that_is_started_inherits_the_file(folder: Path) -> None:
    (folder / "a").write_bytes(b"x")
    opened = open_beneath(folder, "a", LIMIT)

    assert not os.get_inheritable(opened)
    os.close(opened)


def test_a_name_that_is_swapped_for_a_link_again_and_again_never_gives_the_secret(folder: Path, secret: Path) -> None:
    good, trap, name = folder / "good", folder / "trap", folder / "a.png"
    over = threading.Event()

    def swap() -> None:
        while not over.is_set():
            good.write_bytes(b"picture")
            good.replace(name)
            with suppress(FileExistsError):
                trap.symlink_to(secret)
            trap.replace(name)

    swapping = threading.Thread(target=swap)
    swapping.start()
    seen: set[bytes] = set()
    refusals = 0
    try:
        while refusals < 200 or b"picture" not in seen:
            try:
                opened = open_beneath(folder, "a.png", LIMIT)
            except ValueError:
                refusals += 1
                continue
            with os.fdopen(opened, "rb") as file:
                seen.add(file.read())
    finally:
        over.set()
        swapping.join()

    assert SECRET not in seen


def test_a_file_that_grows_beyond_the_limit_is_refused(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def opened_and_grown(folder: Path, name: str, max_bytes: int) -> int:
        descriptor = open_beneath(folder, name, max_bytes)
        (folder / name).write_bytes(b"x" * 10 * max_bytes)
        return descriptor

    (folder / "a").write_bytes(b"x")
    assert read_beneath(folder, "a", LIMIT) == b"x"
    monkeypatch.setattr(safe_open, "open_beneath", opened_and_grown)
    with pytest.raises(ValueError, match="it grew beyond 1000 bytes"):
        read_beneath(folder, "a", LIMIT)


def test_a_lease_on_a_file_makes_nobody_wait(folder: Path) -> None:
    (folder / "a").write_bytes(b"x")
    lessee = subprocess.Popen(
        [sys.executable, "-I", "-c", LESSEE, folder / "a"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert lessee.stdin is not None
    assert lessee.stdout is not None
    try:
        assert lessee.stdout.readline() == b"leased\n"
        with pytest.raises(ValueError, match="another program is changing it at this moment"):
            read_beneath(folder, "a", LIMIT)
    finally:
        lessee.communicate(b"\n")


def test_a_long_name_is_not_said_again_in_full(folder: Path) -> None:
    with pytest.raises(ValueError, match="it is too long") as refused:
        open_beneath(folder, "x" * 100_000, LIMIT)
    assert len(str(refused.value)) < 300


def names_beneath(folder: Path, name: str) -> list[str]:
    above = os.open(folder, os.O_PATH)
    try:
        opened = folder_beneath(above, name, is_listed=True)
    finally:
        os.close(above)
    try:
        return os.listdir(opened)  # noqa: PTH208
    finally:
        os.close(opened)


def test_a_folder_is_opened_and_no_link_leads_to_one(folder: Path, secret: Path) -> None:
    (folder / "a" / "b").mkdir(parents=True)
    (folder / "a" / "b" / "file").touch()
    (folder / "out").symlink_to(secret.parent)
    (folder / "round").symlink_to("a")

    assert names_beneath(folder, "a/b") == ["file"]
    for name in ("out", "round", "round/b", "..", "a/../..", str(secret.parent), "a/b/file", "nothing"):
        with pytest.raises(OSError, match=r"link|below|folder|no such|Not a directory"):
            names_beneath(folder, name)


def test_a_folder_has_a_name_without_a_nul(folder: Path, subtests: pytest.Subtests) -> None:
    for name in ["", "a\0b"]:
        with subtests.test(name=name):
            empty(folder)
            (folder / "a").mkdir()
            with pytest.raises(ValueError, match="it must not be empty or hold a NUL"):
                names_beneath(folder, name)


def test_a_folder_that_nobody_may_list_is_opened_for_names_beside_it(folder: Path) -> None:
    """The superuser may list it as well, so this tells it by how it was opened."""
    (folder / "a").mkdir()
    above = os.open(folder, os.O_PATH)
    opened = folder_beneath(above, "a", is_listed=False)
    try:
        with pytest.raises(OSError, match="Bad file descriptor"):
            os.listdir(opened)  # noqa: PTH208
        assert os.stat("../a", dir_fd=opened).st_ino == (folder / "a").stat().st_ino
    finally:
        os.close(opened)
        os.close(above)


def test_a_refusal_to_open_a_file_has_the_systems_error_as_its_cause(folder: Path) -> None:
    with pytest.raises(ValueError, match="there is no such file") as refused:
        open_beneath(folder, "a", LIMIT)
    assert isinstance(refused.value.__cause__, FileNotFoundError)

"""The commands in bin/, in checkouts whose locks name one tiny package each."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.launch.checkout import DEADLINE_S, ROOT, Checkout, write_wheel

pytestmark = [pytest.mark.slow, pytest.mark.timeout(2 * DEADLINE_S)]


def test_two_commands_started_at_once_set_up_once_and_both_do_their_work(
    first_two: tuple[Checkout, list[tuple[int, str, str]]],
) -> None:
    ends = first_two[1]

    assert [(status, stdout) for status, stdout, _ in ends] == [(0, "agent 1 hello\n")] * 2
    assert "".join(stderr for _, _, stderr in ends).count("Setting up .venv") == 1


def test_a_checkout_that_is_set_up_starts_without_a_word(checkout: Checkout) -> None:
    done = checkout.run("agent", "a b", "--c")

    assert (done.returncode, done.stdout, done.stderr) == (0, "agent 1 a b --c\n", "")


def test_a_lock_that_was_only_touched_costs_no_set_up(checkout: Checkout) -> None:
    os.utime(checkout.root / "requirements.lock")

    done = checkout.run("agent")

    assert (done.stdout, done.stderr) == ("agent 1\n", "")


def test_modules_of_the_users_own_are_not_taken_for_ours(checkout: Checkout, tmp_path: Path) -> None:
    for name in ("tiny.py", "actors.py"):
        (tmp_path / name).write_text("raise SystemExit('the wrong module')")

    done = checkout.run("agent", cwd=tmp_path, PYTHONPATH=str(tmp_path), PYTHONSAFEPATH="1")

    assert (done.stdout, done.stderr) == ("agent 1\n", "")


def test_a_command_works_through_a_symbolic_link_from_anywhere(checkout: Checkout, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "agent").symlink_to(checkout.root / "bin" / "agent")
    linked = Checkout(tmp_path, checkout.wheels)
    (tmp_path / "bin").symlink_to(tmp_path / "elsewhere")

    assert linked.run("agent", cwd=Path("/")).stdout == "agent 1\n"


def test_a_changed_lock_is_installed_anew_but_never_from_packages_that_are_not_the_locked_ones(
    checkout: Checkout,
) -> None:
    checkout.lock("requirements.lock", write_wheel(checkout.wheels, "tiny", "2.0", "VERSION = 2"))
    left_over = next(checkout.root.glob(".venv/lib/*/site-packages")) / "left_over.py"
    left_over.touch()

    write_wheel(checkout.wheels, "tiny", "2.0", "VERSION = 'poisoned'")
    refused = checkout.run("agent")
    write_wheel(checkout.wheels, "tiny", "2.0", "VERSION = 2")
    mended = checkout.run("agent")

    assert (refused.returncode, refused.stdout) == (1, "")
    assert "THESE PACKAGES DO NOT MATCH THE HASHES" in refused.stderr
    assert "-m pip --disable-pip-version-check install" in refused.stderr.splitlines()[-2]
    assert (mended.returncode, mended.stdout) == (0, "agent 2\n")
    assert not left_over.exists()


def test_the_tests_add_their_lock_and_are_told_paths_from_where_the_user_stands(checkout: Checkout) -> None:
    (checkout.root / "tests").mkdir()
    (checkout.root / "tests" / "test_x.py").touch()

    first = checkout.run("test", "test_x.py::test_y", "-k", "tests", cwd=checkout.root / "tests")
    second = checkout.run("test", "-n", "0", cwd=Path("/"))

    assert first.stdout == f"{checkout.root} {checkout.root}/tests/test_x.py::test_y -k tests\n"
    assert "requirements-dev.lock" in first.stderr
    assert (second.stdout, second.stderr) == (f"{checkout.root} -n 0\n", "")


@pytest.mark.parametrize("given", [(), ("tests",), ("-k", "word")])
def test_the_tests_use_two_processes_more_than_there_are_cores(checkout: Checkout, given: tuple[str, ...]) -> None:
    done = checkout.run("test", *given)

    workers = f"-n {len(os.sched_getaffinity(0)) + 2} --no-loadscope-reorder"
    assert done.stdout == " ".join([str(checkout.root), workers, *given]) + "\n"


@pytest.mark.parametrize(
    "given", [("tests/x.py",), ("tests/x.py::test",), ("-n0",), ("-n", "7"), ("-p", "no:xdist"), ("--pdb",)]
)
def test_who_names_files_or_looks_into_the_process_gets_no_others(checkout: Checkout, given: tuple[str, ...]) -> None:
    done = checkout.run("test", *given)

    assert done.stdout == " ".join([str(checkout.root), *given]) + "\n"


def test_a_linked_environment_of_another_checkout_is_left_alone(checkout: Checkout, tmp_path: Path) -> None:
    """A second worktree with a link to the first one's `.venv` gets its own where the locks differ."""
    others = tmp_path / "others"
    others.mkdir()
    (others / "run.stamp").write_text("of another lock\n")
    shutil.rmtree(checkout.root / ".venv")
    (checkout.root / ".venv").symlink_to(others)

    assert checkout.run("agent").stdout == "agent 1\n"

    assert not (checkout.root / ".venv").is_symlink()
    assert [path.name for path in others.iterdir()] == ["run.stamp"]


def test_a_set_up_that_was_cut_short_is_done_again(checkout: Checkout) -> None:
    (checkout.root / ".venv" / "unfinished").touch()

    done = checkout.run("test")

    assert "Setting up .venv" in done.stderr
    assert done.returncode == 0
    assert not (checkout.root / ".venv" / "unfinished").exists()


def pretend_old_python(checkout: Checkout, path: Path) -> subprocess.CompletedProcess[str]:
    """What `bin/agent` says on a clone without .venv when Python says it is 3.8 and PATH is `path` alone."""
    shutil.rmtree(checkout.root / ".venv")
    script = (
        "import runpy, sys; sys.version_info = (3, 8, 1); sys.argv = [sys.argv[1]];"
        "runpy.run_path(sys.argv[0], run_name='__main__')"
    )
    return subprocess.run(
        [sys.executable, "-I", "-c", script, checkout.root / "bin" / "agent"],
        capture_output=True,
        check=False,
        env={"PATH": str(path)},
        text=True,
        timeout=DEADLINE_S,
    )


def test_a_python_that_is_too_old_says_what_is_needed_and_where_it_stands(checkout: Checkout, tmp_path: Path) -> None:
    done = pretend_old_python(checkout, path=tmp_path)

    assert done.returncode == 1
    assert done.stderr.startswith(f"agent needs Python 3.11 or newer, found 3.8 at {sys.executable}.")


def test_a_python_that_is_too_old_hands_over_to_a_newer_one_on_the_path(checkout: Checkout, tmp_path: Path) -> None:
    checkout.lock("requirements.lock", "")
    newer = tmp_path / "path" / "python3.12"
    newer.parent.mkdir()
    newer.write_text('#!/bin/sh\necho "handed over: $*"\n[ "$2" != -c ] || exit 0\n')
    newer.chmod(0o755)
    (newer.parent / "python3.14").symlink_to("/nowhere")

    done = pretend_old_python(checkout, path=newer.parent)

    assert (done.returncode, done.stdout) == (0, f"handed over: -I {checkout.root}/bin/agent\n")


def test_what_others_say_during_a_set_up_cannot_steer_the_terminal(checkout: Checkout) -> None:
    checkout.lock("requirements.lock", "\x1b]0;title\x07\x9b2Jtiny==1.0\u202e --nothing\n")

    done = checkout.run("agent")

    assert done.returncode == 1
    assert "requirements.lock" in done.stderr
    assert [c for c in done.stderr if not c.isprintable() and c != "\n"] == []


def test_a_checkout_whose_own_name_would_steer_the_terminal_does_not(tmp_path: Path) -> None:
    root = tmp_path / "\x1b]0;evil\x07"
    shutil.copytree(ROOT / "bin", root / "bin")
    (root / "requirements.lock").touch()
    (root / ".venv.lock").mkdir()
    done = Checkout(root, tmp_path).run("agent", cwd=tmp_path)

    assert (done.returncode, "\x1b" in done.stderr) == (1, False)
    assert "Cannot set up .venv in" in done.stderr

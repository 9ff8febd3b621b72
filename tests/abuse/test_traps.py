"""Traps that a command leaves for whoever comes after it, in its own folder: 30, 38-41."""

from __future__ import annotations

import os
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from actors.linux.safe_open import open_beneath
from actors.shell.quota import Quota
from messages.shell import BashOutcome, BashResult
from tests.abuse.ground import HELD_UP_S, Ground

LONG_OUTPUT = "seq 20000"
LIMIT = 1 << 20


def test_30_whatever_a_command_leaves_where_the_agent_looks_the_agent_goes_on(
    ground: Ground, subtests: pytest.Subtests
) -> None:
    for name, make in product(("output", "logs"), ("mkfifo {0}", "ln -s /etc {0}", "ln -s {0} {0}", "touch {0}")):
        with subtests.test(name=name, make=make):
            before = ground.fresh().prize.state()
            ground.attack(f"rm -rf {name}; {make.format(name)}")

            got = ground.attack(LONG_OUTPUT)

            assert got.result.outcome is BashOutcome.EXITED
            assert "\n20000" in got.text
            assert got.duration_s < HELD_UP_S
            assert ground.harm(before) == []
            assert got.survivors == ()


def test_30_a_fifo_does_not_hold_up_who_opens_it(ground: Ground) -> None:
    ground.attack("mkfifo picture.png")

    with pytest.raises(ValueError, match="regular file"):
        open_beneath(ground.workdir, "picture.png", LIMIT)


def test_30_links_in_the_folder_of_kept_output_are_not_written_through(ground: Ground) -> None:
    before = ground.prize.state()
    targets = f"{ground.prize.secrets} {ground.prize.reminders} {ground.prize.log}"
    ground.attack(f"mkdir output; n=0; for t in {targets}; do ln -s $t output/abuse-$((n += 1)).log; done")
    ground.attack(f"for n in {{1..200}}; do ln -sf {ground.prize.secrets} output/abuse-$n.log; done")

    got = ground.attack(LONG_OUTPUT)

    assert got.result.full_output_path.startswith(str(ground.prize.data / "output"))
    assert ground.harm(before) == []


_PLANTED = """
for file in .bashrc .bash_profile .profile .bash_login .bash_logout .inputrc .zshenv .env BASH_ENV ENV; do
    echo 'echo planted > {canary}; echo planted > planted' > "$file"
done
for file in sitecustomize.py usercustomize.py json.py os.py ctypes.py socket.py actors.py asyncio.py; do
    echo 'open("{canary}", "w").write("planted"); open("planted", "w").write("planted")' > "$file"
done
mkdir -p .local/lib/python3.11/site-packages .config/git .git/hooks actors domain
cp sitecustomize.py .local/lib/python3.11/site-packages/usercustomize.py
echo 'import os; open("{canary}", "w")' > .local/lib/python3.11/site-packages/evil.pth
for program in bash sh env python3 python bwrap prlimit nice git ls cat id setpriv; do
    printf '#!/bin/sh\\necho planted > {canary}\\necho planted > planted\\n' > $program; chmod +x $program
done
printf '[core]\\n\\tfsmonitor = "echo planted > {canary}"\\n\\thooksPath = .\\n' > .git/config
cp .git/config .gitconfig; cp .git/config .config/git/config
cp bash .git/hooks/post-checkout
echo "$PWD/evil.so" > ld.so.preload
rm -f planted
"""


def test_38_what_is_planted_in_the_folder_is_run_by_nobody(ground: Ground) -> None:
    ground.attack(_PLANTED.format(canary=ground.prize.canary))

    later = ("true", LONG_OUTPUT, "cd /; echo $BASH_ENV$ENV$PYTHONPATH$LD_PRELOAD$PYTHONSTARTUP", "ls; id")
    outcomes = [ground.attack(command).result.outcome for command in later]
    assert outcomes == [BashOutcome.EXITED] * len(later)
    sent = ground.ask("sleep 300")
    ground.cancel(sent)
    ground.result(sent)

    assert not ground.prize.canary.exists()
    assert not (ground.workdir / "planted").exists()


def test_38_programs_of_the_folder_are_never_found_before_the_systems(ground: Ground) -> None:
    got = ground.attack("echo $PATH; echo 'echo planted' > ls; chmod +x ls; ls")

    folders = got.text.splitlines()[0].split(":")
    assert [folder for folder in folders if not folder.startswith("/") or str(ground.workdir) in folder] == []
    assert "planted" not in got.text


def test_39_a_file_that_is_swapped_while_it_is_attached_never_gives_the_secret(ground: Ground) -> None:
    swap = f"""
    ln -s '{ground.prize.secrets}' trap
    for n in {{1..100000}}; do
        echo picture > good; mv -f good picture.png; ln -sfn '{ground.prize.secrets}' trap; mv -f trap picture.png
        [ -e stop ] && break
    done
    """
    request = ground.ask(swap)
    seen: set[bytes] = set()
    refusals = 0
    while refusals < 50 or not seen:
        try:
            opened = open_beneath(ground.workdir, "picture.png", LIMIT) if ground.workdir.exists() else -1
        except ValueError:
            refusals += 1
            continue
        if opened >= 0:
            with os.fdopen(opened, "rb") as file:
                seen.add(file.read(LIMIT))
    (ground.workdir / "stop").touch()

    assert isinstance(ground.reply(request), BashResult)
    assert seen <= {b"picture\n", b""}


NAMES = ("-rf", "two\nlines", "\x1b[31mred\x1b]0;title\x07", "a" * 255, "$(touch planted)", "; touch planted", "*", " ")


def test_40_file_names_of_any_kind_are_names_and_nothing_else(ground: Ground) -> None:
    ground.attack("true")
    for name in NAMES:
        (ground.workdir / name).write_text("x")
        (ground.workdir / "output").mkdir(exist_ok=True)
        (ground.workdir / "output" / f"{name[:250]}.log").write_text("x")
    (ground.workdir / os.fsdecode(b"\xff\xfe not UTF-8")).write_text("x")

    listed = ground.attack("ls -1 | wc -l; ls -a1")
    got = ground.attack(LONG_OUTPUT)

    assert "\x1b" not in listed.text
    assert got.result.outcome is BashOutcome.EXITED
    assert not (ground.workdir / "planted").exists()
    for name in NAMES:
        os.close(open_beneath(ground.workdir, name, LIMIT))


def test_41_a_folder_with_too_many_files_or_bytes_gets_no_more_commands(ground: Ground) -> None:
    quota = Quota(lambda: 0.0, most_files=500, most_bytes=2 << 20)
    with (
        TemporaryDirectory(prefix="abuse-", dir="/var/tmp") as root,
        Ground(Path(root), ground.sandbox, quota=quota) as small,
    ):
        for fill in ("touch f-{1..600}", "mkdir -p d; cd d; touch f-{1..600}", "head -c 3M /dev/zero > big"):
            small.fresh().attack(fill)  # which a look may end or not

            assert "working directory" in small.refusal(small.ask("true")).lower()
        assert isinstance(small.fresh().reply(small.ask("true")), BashResult), "other windows go on"


def test_41_a_full_disk_is_no_command_of_ours(ground: Ground) -> None:
    quota = Quota(lambda: 0.0, least_free_bytes=1 << 62)
    with (
        TemporaryDirectory(prefix="abuse-", dir="/var/tmp") as root,
        Ground(Path(root), ground.sandbox, quota=quota) as full,
    ):
        assert "free" in full.refusal(full.ask("true"))


def test_folders_that_are_swapped_while_they_are_measured_lead_nowhere(ground: Ground) -> None:
    """A command of the same window never runs while its folder is measured; a link to everything is not followed."""
    before = ground.prize.state()
    ground.attack("ln -s / everything; mkdir -p a/b; ln -s ../../.. a/b/up")

    assert ground.attack("echo served").text.strip() == "served"
    assert ground.harm(before) == []

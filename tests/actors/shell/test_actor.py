from __future__ import annotations

import itertools
import math
import os
import shlex
import signal
import threading
from pathlib import Path
from typing import NoReturn

import pytest

from actors.kernel import ActorSpec, ActorSystem
from actors.shell.actor import ShellActor
from actors.shell.config import ShellConfig
from messages.base import Address, RequestId, Surface, Window
from messages.shell import BashOutcome, BashResult, CancelBash, RunBash
from messages.status import DescribeYourself, SelfDescription
from tests.actors.shell.bench import CLI, HELD_UP_S, SHELL, Bench, all_gone, living, window
from tests.crash import CRASH
from tests.patience import PATIENCE_S


def test_a_command_gives_its_output_and_success(bench: Bench) -> None:
    result = bench.run("echo out; echo err >&2; echo out again")
    assert (result.outcome, result.exit_code, result.text) == (BashOutcome.EXITED, 0, "out\nerr\nout again")
    assert (result.truncated, result.full_output_path, result.is_error) == (False, "", False)
    assert 0 < result.duration_s < PATIENCE_S


@pytest.mark.req("S0-98c")
def test_the_exit_code_is_told(bench: Bench, subtests: pytest.Subtests) -> None:
    for command, exit_code, text in [
        ("true", 0, "(no output)"),
        ("exit 3", 3, "(no output)\n\n[Exit code 3.]"),
        ("echo partly; false", 1, "partly\n\n[Exit code 1.]"),
        ("kill -KILL $$", -signal.SIGKILL, "(no output)\n\n[Ended by signal 9 (Killed).]"),
        ("kill -TERM $$", -signal.SIGTERM, "(no output)\n\n[Ended by signal 15 (Terminated).]"),
        ("(kill -KILL $BASHPID); exit $?", 137, "[Exit code 137.]"),
        ("exec 2>/dev/null; no_such_program_at_all", 127, "(no output)\n\n[Exit code 127.]"),
    ]:
        with subtests.test(command=command, exit_code=exit_code, text=text):
            if bench.sandbox != "none" and exit_code < 0:  # as any shell has it of its children
                exit_code, text = 128 - exit_code, f"[Exit code {128 - exit_code}.]"
            result = bench.run(command)
            assert (result.outcome, result.exit_code) == (BashOutcome.EXITED, exit_code)
            assert result.text.endswith(text)
            assert result.is_error == (exit_code != 0)


def test_stdin_is_empty_and_there_is_no_terminal(bench: Bench) -> None:
    assert bench.run("cat; tty; test -t 1 || echo no terminal").text == "not a tty\nno terminal"


def test_output_is_shown_as_a_reader_would_see_it(bench: Bench) -> None:
    result = bench.run(r"printf '\e[1;32mgreen\e[0m\0\n10%%\r100%%\n\xff\xfe é\n'")
    assert result.text == "green\n100%\n\ufffd\ufffd é"


def test_of_3000_lines_the_last_2000_are_shown_and_the_file_has_all(bench: Bench) -> None:
    result = bench.run("seq 3000")
    path = bench.root / "output" / "discord-thread" / window().id / f"{result.request_id}.log"
    assert result.truncated
    assert result.full_output_path == str(path)
    assert result.text.startswith("1001\n")
    assert (
        f"[Showing lines 1001-3000 of 3000; more than 2000 lines are cut. The whole output is in {path}]" in result.text
    )
    assert path.read_text() == "".join(f"{number}\n" for number in range(1, 3001))
    assert bench.run(f"sed -n 5p {shlex.quote(result.full_output_path)}").text == "5"


def test_of_a_single_long_line_the_end_is_shown(bench: Bench) -> None:
    result = bench.run("head -c 200000 /dev/zero | tr '\\0' x; echo -n end")
    assert "xxxend\n\n[Showing last 50.0 KB of line 1, which has 195.3 KB. " in result.text
    assert Path(result.full_output_path).stat().st_size == 200_003


def test_output_that_fits_leaves_no_file(bench: Bench) -> None:
    result = bench.run("for i in $(seq 3000); do printf '%d%%%%%%%%%%%%%%%%%%%%%%%%\\r' $i; done; echo done")
    assert (result.text, result.truncated) == ("done", False)
    assert list((bench.root / "output").rglob("*.log")) == []


def test_of_a_flood_8_mib_are_kept_and_the_tail_is_shown(bench: Bench) -> None:
    result = bench.run("yes | head -c 30000000; echo last", timeout_s=60)
    assert "y\nlast\n\n[Showing lines " in result.text
    assert "the last 20.6 MB were not kept.]" in result.text
    assert Path(result.full_output_path).stat().st_size == 8 * 1024 * 1024


def test_a_flood_costs_little_memory(bench: Bench) -> None:
    bench.run("echo warm")
    Path("/proc/self/clear_refs").write_text("5")
    before = peak_kb()
    assert bench.run("head -c 200000000 /dev/zero", timeout_s=60).exit_code == 0
    assert peak_kb() - before < 20_000


def peak_kb() -> int:
    return next(int(line.split()[1]) for line in Path("/proc/self/status").read_text().splitlines() if "VmHWM" in line)


def test_random_bytes_do_no_harm(bench: Bench) -> None:
    result = bench.run("head -c 300000 /dev/urandom")
    assert result.exit_code == 0
    assert len(result.text.encode()) < 52_000


@pytest.mark.req("S0-91")
def test_a_command_that_takes_too_long_is_killed_with_its_children_though_they_ignore_signals(bench: Bench) -> None:
    result = bench.run("trap '' TERM INT HUP; echo begun; (trap '' TERM; sleep 240.25) & sleep 240.25", timeout_s=0.6)
    assert (result.outcome, result.exit_code, result.is_error) == (BashOutcome.TIMED_OUT, None, True)
    assert result.text == "begun\n\n[Killed: the command ran longer than its timeout of 0.6 seconds.]"
    assert result.duration_s < HELD_UP_S
    assert all_gone("240.25")


@pytest.mark.req("S0-98c")
def test_the_default_timeout_holds_for_commands_that_name_none(tmp_path: Path) -> None:
    bench = Bench(tmp_path, default_timeout_s=0.2)
    assert bench.run("sleep 60").outcome is BashOutcome.TIMED_OUT
    bench.system.stop()


def test_a_child_left_in_the_background_ends_with_the_command_and_delays_it_little(bench: Bench) -> None:
    result = bench.run("sleep 240.26 & echo done")
    assert (result.text, result.exit_code) == ("done", 0)
    assert result.duration_s < HELD_UP_S
    assert all_gone("240.26")


def test_a_silent_child_in_the_background_ends_too(bench: Bench) -> None:
    bench.run("sleep 240.27 > /dev/null 2>&1 &")
    assert all_gone("240.27")


def test_a_child_in_a_process_group_of_its_own_ends_too(bench: Bench) -> None:
    bench.run("set -m; nohup sleep 240.28 > /dev/null 2>&1 & disown -a")
    assert all_gone("240.28")


def test_a_child_that_escapes_into_its_own_session_does_not_hold_the_result(bench: Bench) -> None:
    child = "sh -c 'echo $$ > pids; exec sleep 240.32'"
    result = bench.run(f"{{ setsid {child} 2> /dev/null || {child}; }} & until test -s pids; do :; done; echo done")
    assert (result.text, result.exit_code) == ("done", 0)
    assert result.duration_s < HELD_UP_S
    for pid in living("240.32"):  # where there is no sandbox
        os.kill(pid, signal.SIGKILL)


def test_a_process_substitution_may_finish_its_writing(bench: Bench) -> None:
    assert bench.run("echo hello > >(sleep 0.05; cat)").text == "hello"


def test_a_command_that_closes_its_output_is_still_waited_for(bench: Bench) -> None:
    result = bench.run("echo said; exec >&- 2>&-; sleep 0.2; exit 5")
    assert (result.text, result.exit_code) == ("said\n\n[Exit code 5.]", 5)


def test_a_cancelled_command_is_killed_and_what_it_said_is_told(bench: Bench) -> None:
    begun = bench.fifo("begun")
    request_id = bench.ask("echo so far; echo > begun; sleep 240.29")
    begun.read_text()
    bench.cancel(request_id)
    result = bench.result(request_id)
    assert (result.outcome, result.exit_code) == (BashOutcome.ABORTED, None)
    assert result.text == "so far\n\n[Cancelled: the command was stopped before it ended.]"
    assert all_gone("240.29")


@pytest.mark.req("X-250")
def test_the_output_of_a_cancelled_command_is_not_kept_as_no_log_names_it(bench: Bench) -> None:
    begun = bench.fifo("begun")
    request_id = bench.ask("seq 9000; echo > begun; sleep 240.28")
    begun.read_text()
    bench.cancel(request_id)
    result = bench.result(request_id)
    assert (result.outcome, result.full_output_path) == (BashOutcome.ABORTED, "")
    assert "9000" in result.text
    assert not [*(bench.root / "output").rglob("*.log")]


def test_a_command_can_be_cancelled_in_the_moment_of_its_start(bench: Bench) -> None:
    for number in range(20):
        request_id = bench.ask("sleep 60", of=window(number))
        bench.cancel(request_id)
        assert bench.result(request_id).outcome is BashOutcome.ABORTED


def test_a_waiting_command_can_be_cancelled_and_is_never_run(bench: Bench) -> None:
    go = bench.fifo("go")
    first = bench.ask("read < go")
    second = bench.ask("touch ran")
    third = bench.ask("echo third")
    bench.cancel(second)
    assert bench.result(second).outcome is BashOutcome.ABORTED
    go.write_text("\n")
    assert bench.result(first).exit_code == 0
    assert bench.result(third).text == "third"
    assert not (bench.workdir() / "ran").exists()


def test_cancelling_what_is_not_known_changes_nothing(bench: Bench) -> None:
    bench.cancel(RequestId("nobody"))
    done = bench.ask("echo one")
    assert bench.result(done).text == "one"
    bench.cancel(done)
    assert bench.run("echo two").text == "two"
    assert bench.edge.drain() == []


def test_commands_of_one_window_run_one_after_another_in_order(bench: Bench) -> None:
    ids = [bench.ask(f"test ! -e busy && touch busy && echo {number} >> order; rm busy") for number in range(10)]
    assert [bench.result(request_id).exit_code for request_id in ids] == [0] * 10
    assert (bench.workdir() / "order").read_text().split() == [str(number) for number in range(10)]


def test_64_commands_of_64_windows_at_once_all_finish_and_no_more_than_8_run_at_a_time(bench: Bench) -> None:
    count = "read -r up rest < /proc/uptime; sleep 0.02; read -r later rest < /proc/uptime; echo $up $later"
    ids = [bench.ask(count, of=window(number)) for number in range(64)]
    results = [bench.result(request_id) for request_id in ids]
    assert {result.exit_code for result in results} == {0}
    times = [tuple(map(float, result.text.split())) for result in results]
    assert 1 <= max(sum(begun < moment < ended for begun, ended in times) for moment, _ in times) <= 8


def test_a_long_command_of_one_window_does_not_delay_another(bench: Bench) -> None:
    go = bench.fifo("go", of=window(1))
    slow = bench.ask("read < go", of=window(1))
    assert bench.run("echo quick", of=window(2)).text == "quick"
    go.write_text("\n")
    assert bench.result(slow).exit_code == 0


def test_a_request_told_twice_is_run_once(bench: Bench) -> None:
    request = RunBash(
        request_id=RequestId("twice"), reply_to=bench.edge.address, window=window(), command="echo x >> ran; sleep 0.2"
    )
    bench.system.tell(SHELL, request)
    bench.system.tell(SHELL, request)
    assert bench.result(RequestId("twice")).exit_code == 0
    assert bench.run("cat ran").text == "x"
    assert bench.edge.drain() == []


def test_a_timeout_out_of_range_is_refused_naming_value_and_rule(bench: Bench, subtests: pytest.Subtests) -> None:
    for timeout_s in [0.0, -1.0, 601.0, math.inf, math.nan]:
        with subtests.test(timeout_s=timeout_s):
            reason = bench.refusal(bench.ask("touch ran", timeout_s=timeout_s))
            assert f"{timeout_s:g}" in reason
            assert "more than 0 and at most 600" in reason
            assert not (bench.workdir() / "ran").exists()


def test_a_command_that_bash_cannot_be_given_is_refused(bench: Bench) -> None:
    assert "NUL" in bench.refusal(bench.ask("echo \0"))
    assert "surrogate" in bench.refusal(bench.ask("echo \ud83d"))
    assert "131072 bytes" in bench.refusal(bench.ask("#" * 131_072))
    assert bench.run("echo still here; " + "#" * 131_000).text == "still here"


def test_a_window_that_is_no_snowflake_gets_no_directory(bench: Bench, subtests: pytest.Subtests) -> None:
    for name in ["../../x", "1/../../etc", "", "x" * 10_000, "12", "1\n2"]:
        with subtests.test(name=name):
            reason = bench.refusal(bench.ask("true", of=Window(surface=Surface.DISCORD_CHANNEL, id=name)))
            assert "15 to 20 decimal digits" in reason
            assert not (bench.root / "work").exists()


def test_without_bash_every_command_is_refused_and_the_actor_lives(tmp_path: Path) -> None:
    bench = Bench(tmp_path, bash_candidates=("/no/bash", "no-such-bash"))
    for _ in range(3):
        reason = bench.refusal(bench.ask("true"))
        assert reason == "There is no bash on this machine (looked for /no/bash, no-such-bash)."
    bench.cancel(RequestId("r1"))
    bench.system.stop()
    assert bench.system.supervisor.crashes() == {}


def test_where_commands_are_turned_off_each_is_refused_nothing_is_made_and_the_status_says_so(tmp_path: Path) -> None:
    bench = Bench(tmp_path, enabled=False, bash_candidates=("/no/bash",))
    assert bench.refusal(bench.ask("touch ran")) == "Commands are turned off here (`shell.enabled`)."
    bench.cancel(RequestId("r1"))
    bench.system.tell(SHELL, DescribeYourself(request_id=RequestId("d"), reply_to=bench.edge.address))
    description = bench.edge.receive(PATIENCE_S)
    assert isinstance(description, SelfDescription)
    assert description.figures == (("commands", "off (shell.enabled)"),)
    bench.system.stop()
    assert list(tmp_path.iterdir()) == []
    assert bench.system.supervisor.crashes() == {}


def test_a_command_of_the_command_line_runs_where_its_caller_is_and_leaves_nothing_there(tmp_path: Path) -> None:
    caller = tmp_path / "caller"
    caller.mkdir()
    bench = Bench(tmp_path / "data", cli_workdir=caller)
    result = bench.run("pwd; echo x > ~/note; seq 3000", of=CLI)
    kept = Path(result.full_output_path)
    assert kept.read_text().startswith(f"{caller}\n1\n")
    bench.system.stop()
    assert not kept.parent.parent.exists()
    assert list(caller.iterdir()) == []
    assert not (tmp_path / "data").exists()


def test_a_working_directory_that_is_missing_is_named(tmp_path: Path) -> None:
    bench = Bench(tmp_path, cli_workdir=tmp_path / "gone")
    assert bench.refusal(bench.ask("true", of=CLI)) == f"Working directory does not exist: {tmp_path / 'gone'}"
    bench.system.stop()


def test_stopping_kills_what_runs_and_tells_everyone_who_waits(bench: Bench) -> None:
    begun = bench.fifo("begun")
    running = bench.ask("echo so far; echo > begun; sleep 240.30")
    waiting = bench.ask("touch ran")
    begun.read_text()
    bench.system.stop()
    assert bench.result(running).text.startswith("so far\n\n[Cancelled")
    assert bench.result(waiting).outcome is BashOutcome.ABORTED
    assert all_gone("240.30")
    assert not (bench.workdir() / "ran").exists()


@pytest.mark.slow
@pytest.mark.crashes
def test_after_a_crash_every_asker_is_told_and_the_next_command_runs(bench: Bench) -> None:
    begun = bench.fifo("begun")
    running = bench.ask("echo > begun; sleep 240.31")
    begun.read_text()
    bench.system.tell(SHELL, CRASH)
    assert bench.result(running).outcome is BashOutcome.ABORTED
    assert bench.run("echo alive").text == "alive"
    assert all_gone("240.31")
    assert bench.edge.drain() == []


@pytest.mark.crashes
def test_a_command_that_an_ending_loop_has_not_begun_is_told_to_be_cancelled(tmp_path: Path) -> None:
    number, is_at_door, ends = itertools.count(), threading.Event(), threading.Event()

    def new_id() -> str:
        if threading.current_thread().name == "shell" and not ends.is_set():
            is_at_door.set()
            ends.wait(PATIENCE_S)
            raise SystemExit
        return f"{next(number):08}"

    bench = Bench(tmp_path, sandbox="none", door=Address("door"), ids=new_id)
    begun = bench.ask("true", of=window(0))
    assert is_at_door.wait(PATIENCE_S)
    unbegun = bench.ask("true", of=window(1))
    bench.system.tell(SHELL, DescribeYourself(request_id=RequestId("d"), reply_to=bench.edge.address))
    description = bench.edge.receive(PATIENCE_S)
    assert isinstance(description, SelfDescription)
    assert dict(description.figures)["commands_running"] == 2
    ends.set()

    assert bench.result(begun).outcome is BashOutcome.ABORTED
    assert bench.result(unbegun).outcome is BashOutcome.ABORTED
    bench.system.stop()


@pytest.mark.slow
@pytest.mark.crashes
def test_a_restart_after_a_crash_tries_no_sandbox_anew(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    def try_anew(*_args: object) -> NoReturn:
        raise AssertionError("bash and the sandbox were tried anew")

    assert bench.run("echo first").text == "first"
    before = bench.actors[-1]._level
    monkeypatch.setattr("actors.shell.actor.find_level", try_anew)
    monkeypatch.setattr("actors.shell.actor.probe_bash", try_anew)
    bench.system.tell(SHELL, CRASH)
    assert bench.run("echo alive").text == "alive"
    assert len(bench.actors) > 1
    assert bench.actors[-1]._level == before


def test_work_is_in_progress_until_the_last_command_has_ended(bench: Bench) -> None:
    assert not bench.system.drain(PATIENCE_S).unfinished
    go = bench.fifo("go")
    request_id = bench.ask("read < go")
    assert bench.system.drain(0.1).unfinished == (SHELL,)
    go.write_text("\n")
    assert bench.system.drain(PATIENCE_S).quiet
    assert bench.result(request_id).exit_code == 0


def test_a_handler_never_waits_for_a_command(tmp_path: Path) -> None:
    system = ActorSystem(workers=0)
    system.register(
        ActorSpec(
            "shell", lambda _key: ShellActor(ShellConfig(work_root=tmp_path / "work", data_root=tmp_path)), core=True
        )
    )
    system.start()
    edge = system.edge("test")
    request = RunBash(request_id=RequestId("r"), reply_to=edge.address, window=window(), command="sleep 60")
    system.tell(SHELL, request)
    system.run()
    system.tell(SHELL, CancelBash(request_id=RequestId("r")))
    system.run()
    result = edge.receive(PATIENCE_S)
    assert isinstance(result, BashResult)
    assert result.outcome is BashOutcome.ABORTED
    system.stop()


def test_settings_that_cannot_be_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="default timeout: A timeout of 700 seconds"):
        ShellConfig(work_root=tmp_path, data_root=tmp_path, default_timeout_s=700.0)
    with pytest.raises(ValueError, match="0 commands at once: at least 1"):
        ShellConfig(work_root=tmp_path, data_root=tmp_path, commands_at_once=0)

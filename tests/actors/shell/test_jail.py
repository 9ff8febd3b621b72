"""The agent's side of the wall as seen from inside: every test is an attempt that must fail, or a need that must not."""

from __future__ import annotations

import os
import shlex
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from actors.linux.syscall_numbers import PROCESSORS
from messages.shell import BashOutcome
from tests.actors.shell.bench import HELD_UP_S, Bench, all_gone, living, window

ROOT = Path(__file__).parents[3]


def python(script: str) -> str:
    """A command that runs `script`."""
    return f"python3 -I -S -c {shlex.quote(script)}"


NAMED_ALIKE = pytest.mark.skipif(
    os.getpid() < 100, reason="where this process is one of the first, its number is also one in the sandbox's own list"
)


@pytest.mark.req("X-53")
@NAMED_ALIKE
def test_nothing_outside_of_the_view_can_be_read(jail: Bench, tmp_path: Path) -> None:
    secret = tmp_path / "secrets.env"
    secret.write_text("t0ken")
    neighbour = jail.workdir(window(2)) / "note"
    jail.run("echo neighbour > note", of=window(2))
    assert neighbour.read_text() == "neighbour\n"
    paths = [
        secret,
        neighbour,
        "/etc/shadow",
        "/etc/ssl/private",
        f"/proc/{os.getpid()}/environ",
        jail.root / "index.db",
    ]
    (jail.root / "index.db").write_text("t0ken")
    for path in paths:
        result = jail.run(f"cat {path}; ls {path}; ln -s {path} link; cat link; rm link")
        assert "t0ken" not in result.text
        assert "neighbour\n" not in result.text
        assert result.text.count("denied") + result.text.count("No such file") >= 2, path


def test_other_homes_and_the_data_root_cannot_be_listed(jail: Bench) -> None:
    home = Path.home()
    jail.run("true", of=window(2))
    (jail.root / "index.db").touch()
    listed = jail.run(f"ls -A {home} {jail.root} {jail.root}/work/discord-thread 2>&1").text
    for name in ("index.db", window(2).id, ".bashrc", ".ssh"):
        assert name not in listed


@NAMED_ALIKE
def test_the_agents_process_cannot_be_reached(jail: Bench) -> None:
    agent = os.getpid()
    for attempt in (
        f"kill -0 {agent}",
        f"ls /proc/{agent}/root/",
        f"cat /proc/{agent}/maps",
        f"renice -n 19 -p {agent}",
    ):
        assert jail.run(attempt).is_error, attempt
    limit = python(f"import resource; resource.prlimit({agent}, resource.RLIMIT_NOFILE, (5, 5))")
    assert jail.run(limit).is_error
    assert os.getpriority(os.PRIO_PROCESS, agent) < 19


@pytest.mark.req("X-54")
def test_logs_are_read_but_never_written(jail: Bench) -> None:
    log = jail.root / "logs" / "discord-thread" / "1" / "a.md"
    log.parent.mkdir(parents=True)
    log.write_text("said\n")
    log.chmod(0o644)
    assert jail.run("cat logs/discord-thread/1/a.md").text == "said"
    there = "logs/discord-thread/1"
    for attempt in (
        f"echo forged >> {there}/a.md",
        f"truncate -s 0 {there}/a.md",
        f"rm {there}/a.md",
        f"rm -rf {there}/",
        f"mv {there}/a.md .",
        f"touch {there}/new.md",
        f"touch -d 2020-01-01 {there}/a.md",
        f"chmod 000 {there}/a.md",
        f"ln {there}/a.md stolen",
        f"exec 3< {there}/a.md; " + python("import os; os.fchmod(3, 0)"),
    ):
        assert jail.run(attempt).is_error, attempt
    assert log.read_text() == "said\n"
    assert log.stat().st_mode & 0o777 == 0o644
    assert [path.name for path in log.parent.iterdir()] == ["a.md"]
    assert log.stat().st_nlink == 1


def test_no_socket_leads_to_this_machine_or_another(jail: Bench) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server, socket.socket(socket.AF_UNIX) as abstract:
        port = server.getsockname()[1]
        abstract.bind(f"\0remembrancer-test-{os.getpid()}")
        abstract.listen()
        assert jail.run(f": > /dev/tcp/127.0.0.1/{port}").is_error
        to_abstract = python(
            f"import socket; socket.socket(socket.AF_UNIX).connect('\\0remembrancer-test-{os.getpid()}')"
        )
        assert jail.run(to_abstract).is_error
        for end in (server, abstract):
            end.setblocking(False)
            with pytest.raises(BlockingIOError):
                end.accept()


def test_sockets_in_the_file_system_are_shut_but_its_own(jail: Bench, tmp_path: Path) -> None:
    path = tmp_path / "docker.sock"
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(path))
        server.listen()
        server.setblocking(False)
        jail.run("true")
        assert jail.run(python(f"import socket; socket.socket(socket.AF_UNIX).connect({str(path)!r})")).is_error
        assert jail.run(python(f"import socket; s = socket.socket(1, 2); s.sendto(b'x', {str(path)!r})")).is_error
        with pytest.raises(BlockingIOError):
            server.accept()
    own = """
import socket
server = socket.socket(socket.AF_UNIX)
server.bind("own.sock")
server.listen()
client = socket.socket(socket.AF_UNIX)
client.connect("own.sock")
print("connected")
"""
    assert jail.run(python(own)).text == "connected"


def test_what_needs_a_privilege_fails(jail: Bench, subtests: pytest.Subtests) -> None:
    for attempt in [
        "unshare -Ur true",
        "unshare -m true",
        "mount -t tmpfs none /tmp",
        "mount -o remount,rw /",
        "chroot / true",
        "su -c true",
        "dmesg",
        "touch /planted",
        "touch /usr/planted",
        "touch /etc/planted",
        "touch /run/planted",
        "cat < /proc/sys/kernel/core_pattern > same && cat same > /proc/sys/kernel/core_pattern",
        "exec 3>> /proc/sysrq-trigger",
        "exec 3>> /proc/irq/default_smp_affinity",
        "touch /dev/planted",
        "chmod 4755 note",
        "mknod disk b 8 0",
        "cat /dev/mem /dev/kmsg /dev/vda",
    ]:
        with subtests.test(attempt=attempt):
            assert jail.run(f"touch note; {attempt}").is_error


def test_there_is_no_capability_and_none_can_be_gained(jail: Bench) -> None:
    script = """
import ctypes, os
libc = ctypes.CDLL(None, use_errno=True)
print([n for n in range(41) if libc.prctl(23, n, 0, 0, 0) == 1])  # the bounding set
print(libc.prctl(39, 0, 0, 0, 0))                               # no_new_privs
header, sets = (ctypes.c_uint32 * 2)(0x20080522, 0), (ctypes.c_uint32 * 6)()
assert libc.syscall({"x86_64": 125, "aarch64": 90}[os.uname().machine], header, sets) == 0
print(list(sets))
"""
    bounding, no_new_privileges, sets = jail.run(f"python3 -I -c {shlex.quote(script)}").text.splitlines()
    assert (no_new_privileges, sets) == ("1", "[0, 0, 0, 0, 0, 0]")
    assert bounding == "[]" or os.geteuid() != 0


def test_parts_of_the_kernel_that_no_command_needs_are_shut(jail: Bench, subtests: pytest.Subtests) -> None:
    for name in ["keyctl", "bpf", "userfaultfd", "io_uring_setup", "perf_event_open", "ptrace"]:
        with subtests.test(name=name):
            number = PROCESSORS[os.uname().machine].numbers[name]
            script = f"import ctypes; c = ctypes.CDLL(None, use_errno=True); c.syscall({number}, 0, 0, 0, 0); print(ctypes.get_errno())"
            assert jail.run(f"python3 -I -c {shlex.quote(script)}").text == "1"


def test_daemons_in_their_own_session_end_with_the_command(jail: Bench) -> None:
    stubborn = "nohup bash -c \"trap '' TERM HUP INT; sleep 61.25\""
    daemon = f"{{ setsid {stubborn} || {stubborn}; }} > /dev/null 2>&1 &"
    assert jail.run(f"for i in 1 2 3; do {daemon} done; sleep 0.1; echo done").text == "done"
    assert all_gone("61.25")


def test_a_cancelled_command_takes_its_daemons_with_it(jail: Bench) -> None:
    begun = jail.fifo("begun")
    request_id = jail.ask("{ setsid nohup sleep 61.26 || sleep 61.26; } > /dev/null 2>&1 & echo > begun; sleep 61.26")
    begun.read_text()
    jail.cancel(request_id)
    assert jail.result(request_id).outcome is BashOutcome.ABORTED
    assert all_gone("61.26")


def test_a_fork_bomb_is_held_and_ends(jail: Bench) -> None:
    result = jail.run("swarm() { swarm 241.27 | swarm 241.27 & }; swarm; sleep 241.27", timeout_s=2)
    assert result.is_error
    assert result.duration_s < HELD_UP_S
    assert all_gone("241.27")
    assert jail.run("echo alive").text == "alive"


def test_what_stops_or_kills_all_that_it_reaches_harms_itself_only(jail: Bench) -> None:
    assert jail.run("kill -STOP 0", timeout_s=0.5).outcome is BashOutcome.TIMED_OUT
    jail.run("kill -KILL -1; sleep 0.1")
    assert jail.run("echo alive", of=window(2)).text == "alive"


def test_files_and_memory_have_their_limits(jail: Bench) -> None:
    jail.run("head -c 200000000 /dev/zero > big")
    assert (jail.workdir() / "big").stat().st_size == 100 * 1024 * 1024
    (jail.workdir() / "big").unlink()
    assert "MemoryError" in jail.run("python3 -I -S -c 'x = bytearray(6 * 10**9)'").text
    count = "import os\nn = 0\ntry:\n  while True: os.dup(0); n += 1\nexcept OSError: print(n < 1024)"
    assert jail.run(python(count)).text == "True"


def test_temporary_files_are_the_commands_own(jail: Bench) -> None:
    jail.run('echo mine > "${TMPDIR:-/tmp}/note-61"')
    assert not Path("/tmp/note-61").exists()
    assert jail.run('cat "${TMPDIR:-/tmp}/note-61"').is_error
    assert list(jail.workdir().glob(".tmp-*")) == []
    assert jail.run("mktemp").exit_code == 0


def test_modes_and_times_of_ones_own_files_can_be_changed(jail: Bench) -> None:
    script = "echo 'echo ran' > s; chmod +x s; ./s; touch -d 2020-01-01T00:00:00Z s; stat -c '%Y %a' s; cp -a s t; mkdir d; chmod 700 d"
    assert jail.run(script).text == "ran\n1577836800 755"
    assert (jail.workdir() / "t").stat().st_mtime == 1577836800


def test_ordinary_work_goes_on(jail: Bench, subtests: pytest.Subtests) -> None:
    for work in [
        "git init -q . && git config user.name a && git config user.email a@b && touch x && git add x && git commit -qm c && git log --oneline | wc -l",
        "mkdir a && echo 1 > a/x && tar cf a.tar a && rm -r a && tar xf a.tar && cat a/x",
        python("import threading; t = threading.Thread(target=print, args=('1',)); t.start(); t.join()"),
        python(
            "import subprocess; print(subprocess.run(['echo', '1'], capture_output=True, text=True).stdout.strip())"
        ),
        "diff <(echo a) <(echo b) | wc -l | sed s/4/1/",
        "cp $(command -v su) copy 2> /dev/null || : > copy; ls copy | wc -l",
    ]:
        with subtests.test(work=work):
            assert jail.run(work).text == "1"


def test_the_agents_end_is_the_commands_end(tmp_path: Path, sandbox: str) -> None:
    script = f"""
import sys
from pathlib import Path
from tests.actors.shell.bench import Bench
bench = Bench(Path({str(tmp_path / "data")!r}), sandbox={sandbox!r})
bench.ask("{{ setsid nohup sleep 61.28 || sleep 61.28; }} > /dev/null 2>&1 & echo > begun; sleep 61.28")
sys.stdin.read()
"""
    begun = tmp_path / "data" / "work" / "discord-thread" / window().id / "begun"
    begun.parent.mkdir(parents=True)
    os.mkfifo(begun)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), *sys.path])}
    agent = subprocess.Popen([sys.executable, "-c", script], stdin=subprocess.PIPE, cwd=ROOT, env=environment)
    with agent:
        begun.read_text()
        assert living("61.28") != []
        agent.send_signal(signal.SIGKILL)
    assert all_gone("61.28")

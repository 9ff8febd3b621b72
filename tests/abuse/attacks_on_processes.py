"""Touching other processes, and outliving the command: 7, 17, 27."""

from __future__ import annotations

from tests.abuse.case import Case, python
from tests.abuse.ground import Ground


def signals(ground: Ground) -> str:
    code = f"""
import fcntl
AGENT = {ground.agent}
def try_(name, act):
    try: act(); breach(name)
    except OSError as error: print("held:", name, error)
try_("kill 0", lambda: os.kill(AGENT, 0))
try_("SIGSTOP", lambda: os.kill(AGENT, signal.SIGSTOP))
try_("SIGTERM", lambda: os.kill(AGENT, signal.SIGTERM))
try_("by group", lambda: os.killpg(AGENT, signal.SIGTERM))
try_("by pidfd", lambda: signal.pidfd_send_signal(os.pidfd_open(AGENT), signal.SIGTERM))
for number in (200, 234, 129):  # tkill, tgkill, rt_sigqueueinfo
    given = {{200: (AGENT, 15), 234: (AGENT, AGENT, 15), 129: (AGENT, 15, ctypes.create_string_buffer(128))}}[number]
    if os.uname().machine == "x86_64" and syscall(number, *given)[0] == 0: breach("call", number)
read, write = os.pipe()
try:
    fcntl.fcntl(read, fcntl.F_SETOWN, AGENT)
    fcntl.fcntl(read, 10, signal.SIGKILL)  # F_SETSIG
    fcntl.fcntl(read, fcntl.F_SETFL, os.O_ASYNC)
    os.write(write, b"x")
except OSError as error: print("held: by file", error)
"""
    return (
        f"kill -0 {ground.agent} 2>/dev/null && breach 'kill -0'\n"
        f"kill -TERM {ground.agent} 2>/dev/null && breach 'kill'\n" + python(code)
    )


def tracing(ground: Ground) -> str:
    code = f"""
AGENT = {ground.agent}
for name, request in (("attach", 16), ("seize", 0x4206)):
    if libc.ptrace(request, AGENT, None, None) == 0: breach("ptrace", name)
class Piece(ctypes.Structure): _fields_ = [("at", ctypes.c_void_p), ("size", ctypes.c_size_t)]
room = ctypes.create_string_buffer(64)
local, remote = Piece(ctypes.addressof(room), 64), Piece(ctypes.addressof(room), 64)
if libc.process_vm_readv(AGENT, ctypes.byref(local), 1, ctypes.byref(remote), 1, 0) > 0: breach("reads its memory")
try: open(f"/proc/{{AGENT}}/mem", "r+b"); breach("opens its memory")
except OSError as error: print("held:", error)
"""
    return python(code)


def limits_and_priorities(ground: Ground) -> str:
    code = f"""
import resource
AGENT = {ground.agent}
def try_(name, act):
    try: act(); breach(name)
    except OSError as error: print("held:", name, error)
try_("limits of the agent", lambda: resource.prlimit(AGENT, resource.RLIMIT_NOFILE))
try_("lower limits of the agent", lambda: resource.prlimit(AGENT, resource.RLIMIT_NOFILE, (64, 4096)))
try_("priority of the agent", lambda: os.setpriority(os.PRIO_PROCESS, AGENT, 19))
try_("processors of the agent", lambda: os.sched_setaffinity(AGENT, {{0}}))
try_("scheduling of the agent", lambda: os.sched_setscheduler(AGENT, os.SCHED_IDLE, os.sched_param(0)))
if os.uname().machine == "x86_64":
    if syscall(251, 1, AGENT, (3 << 13))[0] == 0: breach("disk priority of the agent")
for soft, name in ((resource.RLIMIT_AS, "memory"), (resource.RLIMIT_FSIZE, "file size"), (resource.RLIMIT_CORE, "core")):
    try_("raises " + name, lambda: resource.setrlimit(soft, (resource.RLIM_INFINITY, resource.RLIM_INFINITY)))
try_("raises its own priority", lambda: os.setpriority(os.PRIO_PROCESS, 0, -5))
"""
    return python(code)


def priorities_of_all(ground: Ground) -> str:
    """Without a namespace of users, "all processes of the user" are the agent too."""
    code = """
IOPRIO_WHO_USER, IDLE = 3, 3 << 13
done, fault = syscall(251, IOPRIO_WHO_USER, 0, IDLE) if os.uname().machine == "x86_64" else (-1, 1)
print("all of the user:", done, fault)
"""
    return python(code)


def daemons(ground: Ground) -> str:
    """The test looks for what is left of these."""
    code = """
import time
def daemon(depth):
    if os.fork(): return
    try: os.setsid()
    except PermissionError: pass
    if os.fork(): os._exit(0)
    for number in range(1024):
        try: os.close(number)
        except OSError: pass
    for each in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGQUIT): signal.signal(each, signal.SIG_IGN)
    libc.prctl(1, 0, 0, 0, 0)  # no PR_SET_PDEATHSIG
    libc.prctl(36, 1, 0, 0, 0)  # a subreaper, so that its own orphans are its own
    if depth: daemon(depth - 1)
    time.sleep(300)
    os._exit(0)
for _ in range(3): daemon(2)
"""
    return (
        'apart() { setsid "$@" || "$@"; }\n'
        "apart nohup sleep 300 > /dev/null 2>&1 &\n"
        "apart bash -c 'trap \"\" TERM INT HUP QUIT; exec -a innocent sleep 300' > /dev/null 2>&1 &\n"
        "(apart sleep 300 & disown) > /dev/null 2>&1\n"
        "at now <<< 'sleep 300' 2> /dev/null && breach 'at'\n"
        "systemd-run --user sleep 300 2> /dev/null && breach 'systemd-run'\n"
        "echo '* * * * * sleep 300' | crontab - 2> /dev/null && breach 'crontab'\n" + python(code)
    )


ON_PROCESSES = (
    Case(7, "signals to the agent", signals, works_bare=True),
    Case(7, "limits and priorities", limits_and_priorities),
    Case(7, "priorities of all", priorities_of_all),
    Case(17, "daemons", daemons),
    Case(27, "tracing the agent", tracing, works_bare=True),
)

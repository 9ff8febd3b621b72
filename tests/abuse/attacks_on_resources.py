"""Taking all there is of something: disk, names, memory in its many forms, processes, the processor."""

from __future__ import annotations

from dataclasses import dataclass

from tests.abuse.case import python

MOST_MIB = 64
MOST_FILES = 4_000
"""Quota of the ground on which these are tried, so that little is enough."""


@dataclass(frozen=True, slots=True)
class Exhaustion:
    """An attack that takes as much as it gets, until it is stopped or has enough."""

    name: str
    command: str
    resource: str
    words: str = ""
    """What the model is told of its end; empty if it may end by itself, having got less than would harm."""

    def __str__(self) -> str:
        return f"{self.resource}-{self.name.replace(' ', '-')}"


_GREW = "folder grew to more than"
_FILES = "folder got more than"
_DISK = (
    ("many files", "for n in {1..40}; do head -c 9M /dev/zero > f$n; done; sleep 30"),
    ("many files at once", "for n in {1..40}; do head -c 9M /dev/zero > f$n & done; wait; sleep 30"),
    ("one file", "head -c 90M /dev/zero > f; sleep 30"),
    ("in a folder below", "mkdir -p a/b/c; cd a/b/c; for n in {1..20}; do head -c 9M /dev/zero > f$n; done; sleep 30"),
    ("in a folder that is shut", "mkdir a; cd a; exec 3> f; chmod 0 .; head -c 90M /dev/zero >&3; sleep 30"),
    ("behind a renamed folder", "mkdir a; cd a; (sleep 0.1; mv ../a ../b) & head -c 90M /dev/zero > f; sleep 30"),
    ("by copying", "head -c 9M /dev/urandom > f; for n in {1..20}; do cp f f$n; done; sleep 30"),
    (
        "by a memory map",
        python("""
import mmap, time
for n in range(20):
    with open(f"f{n}", "w+b") as file:
        file.truncate(8 << 20)
        room = mmap.mmap(file.fileno(), 8 << 20)
        for at in range(0, 8 << 20, 4096): room[at] = 1
        room.flush()
time.sleep(30)
"""),
    ),
    (
        "by sendfile",
        python("""
import time
source = os.open("/dev/zero", os.O_RDONLY)
seed = open("seed", "w+b"); seed.write(b"x" * (8 << 20)); seed.flush()
for n in range(20):
    with open(f"f{n}", "wb") as file: os.sendfile(file.fileno(), seed.fileno(), 0, 8 << 20)
time.sleep(30)
"""),
    ),
    (
        "with fallocate",
        "for n in {1..40}; do fallocate -l 9M f$n || head -c 9M /dev/zero > f$n; done 2>/dev/null; sleep 30",
    ),
    (
        "with a reservation by ioctl",
        python("""
import fcntl, time
for n in range(40):
    with open(f"f{n}", "w+b") as file:
        for request in (0x40305828, 0x4030582A, 0x40305839):
            try: fcntl.ioctl(file, request, struct.pack("=hhiqqiI16s", 0, 0, 0, 0, 64 << 30, 0, 0, b"")[:48])
            except OSError as error: print("held:", error)
        file.write(b"x" * (9 << 20))
time.sleep(30)
"""),
    ),
    (
        "while it stops all of its own",
        "head -c 90M /dev/zero > f & until [[ $(stat -c %s f) -gt 70000000 ]]; do :; done; kill -STOP -1; sleep 30",
    ),
    (
        "from a daemon",
        "d() { head -c 90M /dev/zero > f; sleep 30; }; export -f d; { setsid bash -c d || d; } > /dev/null 2>&1 & sleep 30",
    ),
)
_NAMES = (
    ("files", python("for n in range(20000): open(str(n), 'w').close()\nimport time; time.sleep(30)")),
    ("folders", python("for n in range(20000): os.mkdir(str(n))\nimport time; time.sleep(30)")),
    ("links", python("for n in range(20000): os.symlink('/', str(n))\nimport time; time.sleep(30)")),
    (
        "hard links",
        python("open('a', 'w').close()\nfor n in range(20000): os.link('a', str(n))\nimport time; time.sleep(30)"),
    ),
    ("pipes", python("for n in range(20000): os.mkfifo(str(n))\nimport time; time.sleep(30)")),
    ("long names", python("for n in range(20000): open(f'{n:0200}', 'w').close()\nimport time; time.sleep(30)")),
)
_TREES = (
    (
        "deep",
        python("for n in range(1500):\n    os.mkdir('d' * 200); os.chdir('d' * 200)\nimport time; time.sleep(30)"),
    ),
)
_TEMPORARY = (
    ("files in tmp", python("for n in range(200000): open(f'/tmp/{n}', 'w').close()"), "files in /tmp"),
    ("files in shm", python("for n in range(200000): open(f'/dev/shm/{n}', 'w').close()"), "files in /dev/shm"),
    ("links in tmp", python("for n in range(200000): os.symlink('x' * 1000, f'/tmp/{n}')"), ""),
    ("bytes in tmp", "head -c 400M /dev/zero > /tmp/a; head -c 90M /dev/zero > /tmp/b; du -sm /tmp", ""),
    ("bytes in shm", "head -c 90M /dev/zero > /dev/shm/a; head -c 90M /dev/zero > /dev/shm/b; du -sm /dev/shm", ""),
)
_HOLD = """
def hold(act, most=1 << 62):
    n = 0
    try:
        while n < most: act(); n += 1
    except (OSError, MemoryError, RuntimeError) as error: print("got", n, error, flush=True)
"""
_MEMORY = (
    ("pages", "keep = []\nhold(lambda: keep.append(bytearray(64 << 20)), 48)"),
    (
        "pages of many processes",
        """
for _ in range(6):
    if os.fork() == 0:
        keep = []
        hold(lambda: keep.append(bytearray(64 << 20)), 8)
        os._exit(0)
for _ in range(6): os.wait()
""",
    ),
    (
        "memfd",
        """
keep, piece = [], b"x" * (1 << 20)
def act():
    file = os.memfd_create("held"); keep.append(file)
    for _ in range(64): os.write(file, piece)
hold(act, 48)
""",
    ),
    (
        "shared memory of System V",
        """
libc.shmat.restype = ctypes.c_void_p
def act():
    segment = libc.shmget(0, ctypes.c_size_t(64 << 20), 0o1600)
    if segment < 0: raise OSError(ctypes.get_errno(), "shmget")
    at = libc.shmat(segment, None, 0); ctypes.memset(at, 1, 64 << 20); libc.shmdt(ctypes.c_void_p(at))
hold(act, 48)
""",
    ),
    (
        "messages of System V",
        """
def act():
    queue = libc.msgget(0, 0o1600)
    if queue < 0: raise OSError(ctypes.get_errno(), "msgget")
    body = struct.pack("l", 1) + b"x" * 8000
    while libc.msgsnd(queue, body, 8000, 0o4000) == 0: pass
hold(act, 3000)
""",
    ),
    (
        "semaphores of System V",
        """
def act():
    if libc.semget(0, 32000, 0o1600) < 0: raise OSError(ctypes.get_errno(), "semget")
hold(act, 2000)
""",
    ),
    (
        "pipes",
        """
import fcntl
keep = []
def act():
    read, write = os.pipe(); keep.extend((read, write)); os.set_blocking(write, False)
    try: fcntl.fcntl(write, 1031, 1 << 20)
    except OSError: pass
    try:
        while True: os.write(write, b"x" * 65536)
    except BlockingIOError: pass
hold(act)
""",
    ),
    (
        "buffers of sockets",
        """
keep = []
def act():
    one, other = socket.socketpair(); keep.append((one, other))
    for end in (one, other):
        end.setblocking(False)
        try:
            while True: end.send(b"x" * 65536)
        except BlockingIOError: pass
hold(act)
""",
    ),
    (
        "descriptors in flight",
        """
import array
keep = []
def act():
    one, other = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM); keep.append((one, other)); one.setblocking(False)
    try:
        while True:
            files = array.array("i", [os.open("/dev/null", os.O_RDONLY)] * 100)
            one.sendmsg([b"x"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, files)]); os.close(files[0])
    except BlockingIOError: pass
hold(act, 400)
""",
    ),
    (
        "tables of pages",
        """
import mmap
keep = []
def act():
    room = mmap.mmap(-1, 1 << 30); keep.append(room)
    for at in range(0, 1 << 30, 2 << 20): room[at] = 1
hold(act, 16)
""",
    ),
    (
        "queues of POSIX",
        """
def act():
    queue = libc.mq_open(f"/q{act.n}".encode(), 0o102, 0o600, None); act.n += 1
    if queue < 0: raise OSError(ctypes.get_errno(), "mq_open")
act.n = 0
hold(act, 3000)
""",
    ),
    (
        "watches",
        """
watch = libc.inotify_init()
os.mkdir("w")
def act():
    name = f"w/{act.n}"; act.n += 1
    os.mkdir(name)
    if libc.inotify_add_watch(watch, name.encode(), 0xfff) < 0: raise OSError(ctypes.get_errno(), "inotify")
act.n = 0
hold(act, 3000)
""",
    ),
)
_PROCESSES = (
    (
        "threads",
        """
import threading, time
hold(lambda: threading.Thread(target=time.sleep, args=(60,), daemon=True).start(), 6000)
""",
    ),
    (
        "threads of many processes",
        """
import threading, time
for _ in range(20):
    if os.fork() == 0:
        hold(lambda: threading.Thread(target=time.sleep, args=(60,), daemon=True).start(), 500); time.sleep(60)
time.sleep(1)
""",
    ),
    ("children", "import time\ndef act():\n    if os.fork() == 0: time.sleep(3); os._exit(0)\nhold(act, 3000)"),
    ("children of children", "import time\ndef act():\n    if os.fork(): time.sleep(3); os._exit(0)\nhold(act, 3000)"),
    ("the dead", "def act():\n    if os.fork() == 0: os._exit(0)\nhold(act, 3000)"),
    (
        "a chain that hops",
        """
import time
until = time.monotonic() + 0.5
while time.monotonic() < until:
    if os.fork(): os._exit(0)
    try: os.setsid()
    except PermissionError: pass
""",
    ),
)
_PROCESSOR = (
    ("spinners", "for n in {1..40}; do while :; do :; done & done; sleep 0.3"),
    (
        "spinners that stop and go",
        "for n in {1..20}; do (while :; do :; done) & p=$!; (sleep 0.1; kill -STOP $p; kill -CONT $p) & done; sleep 0.3",
    ),
    ("output", "yes & yes & yes & yes & sleep 0.3"),
    ("syncing", "for n in {1..4}; do while :; do echo x > s$n; sync s$n; done & done; sleep 0.3"),
    (
        "renaming",
        python(
            "import time\nuntil = time.monotonic() + 0.3\nopen('a', 'w').close()\nwhile time.monotonic() < until: os.rename('a', 'b'); os.rename('b', 'a')"
        ),
    ),
    ("looking", "for n in 1 2 3 4; do find / > /dev/null 2>&1 & done; sleep 0.3"),
)

EXHAUSTIONS = (
    *(Exhaustion(name, command, "disk", _GREW) for name, command in _DISK),
    *(Exhaustion(name, command, "names", _FILES) for name, command in _NAMES),
    *(Exhaustion(name, command, "trees", "nested deeper than") for name, command in _TREES),
    *(Exhaustion(name, command, "temporary", words) for name, command, words in _TEMPORARY),
    *(Exhaustion(name, python(_HOLD + code), "memory") for name, code in _MEMORY),
    *(Exhaustion(name, python(_HOLD + code), "processes") for name, code in _PROCESSES),
    *(Exhaustion(name, command, "processor") for name, command in _PROCESSOR),
)

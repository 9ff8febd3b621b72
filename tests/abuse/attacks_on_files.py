"""Changing what is not the command's to change, and filling what is everybody's: 8, 9, 12, 26, 34, 35, 44."""

from __future__ import annotations

from tests.abuse.case import Case, python
from tests.abuse.ground import Ground

SYS_LINKAT, AT_FDCWD, AT_SYMLINK_FOLLOW, AT_EMPTY_PATH = 265, -100, 0x400, 0x1000


def change_logs(ground: Ground) -> str:
    name = ground.prize.log.relative_to(ground.prize.data)
    return f"""
for log in '{name}' '{ground.prize.log}'; do
    cat "$log" > /dev/null || breach "cannot even read $log, so this proves nothing"
    echo forged >> "$log" && breach "appends to $log"
    : > "$log" && breach "empties $log"
    truncate -s 0 "$log" && breach "truncates $log"
    rm -f "$log" && [ ! -e "$log" ] && breach "deletes $log"
    mv "$log" moved && breach "moves $log"
    mv "${{log%/*}}" moved && breach "moves its folder"
    echo forged > "${{log%/*}}/20270101T000000Z_0001.md" && breach "creates beside $log"
    mkdir "${{log%/*}}/../222222222222222222" && breach "creates a folder of logs"
    ln -s /etc/passwd "${{log%/*}}/link" && breach "links beside $log"
    mkfifo "${{log%/*}}/fifo" && breach "makes a FIFO beside $log"
    dd if=/dev/zero of="$log" bs=1 count=1 conv=notrunc && breach "overwrites $log"
done 2>/dev/null
"""


def change_attributes_of_logs(ground: Ground) -> str:
    name = ground.prize.log.relative_to(ground.prize.data)
    return f"""
for log in '{name}' '{ground.prize.log}' '{ground.prize.log.parent}' '{ground.prize.data}' '{ground.prize.secrets}'; do
    chmod 777 "$log" && breach "changes the mode of $log"
    chown 12345 "$log" && breach "changes the owner of $log"
    touch -d 2001-01-01 "$log" && breach "changes the time of $log"
    setfattr -n user.x -v y "$log" && breach "sets an attribute of $log"
    chattr +a "$log" && breach "changes the flags of $log"
done 2>/dev/null
"""


def write_through_own_descriptor(ground: Ground) -> str:
    """A file opened for reading must not be opened again for writing by its descriptor."""
    code = f"""
opened = os.open("{ground.prize.log}", os.O_RDONLY)
for path in (f"/proc/self/fd/{{opened}}", f"/dev/fd/{{opened}}"):
    try:
        os.write(os.open(path, os.O_WRONLY | os.O_APPEND), b"forged")
        breach("writes by", path)
    except OSError as error: print("held:", error)
try:
    os.ftruncate(opened, 0); breach("truncates a file that it reads")
except OSError as error: print("held:", error)
for path in ("{ground.prize.log}", "{ground.prize.log.parent}"):
    for act in (lambda: os.fchmod(os.open(path, os.O_RDONLY), 0o777), lambda: os.utime(os.open(path, os.O_RDONLY))):
        try: act(); breach("changes", path, "by descriptor")
        except OSError as error: print("held:", error)
"""
    return python(code)


def remount(ground: Ground) -> str:
    code = f"""
MS_REMOUNT, MS_BIND = 32, 4096
for path in ("/", "/usr", "{ground.prize.data}/logs", "{ground.workdir}"):
    if libc.mount(b"none", path.encode(), b"none", MS_REMOUNT | MS_BIND, None) == 0: breach("remounts", path)
if libc.mount(b"tmpfs", b"{ground.workdir}", b"tmpfs", 0, None) == 0: breach("mounts")
if libc.umount2(b"{ground.prize.data}/logs", 2) == 0: breach("unmounts")
if libc.chroot(b"{ground.workdir}") == 0: breach("chroot")
"""
    return (
        "mount -o remount,rw / 2>/dev/null && breach remounts\n"
        "mount --bind . logs/ 2>/dev/null && breach binds\n"
        "touch /usr/bin/planted 2>/dev/null && breach 'writes /usr'\n"
        "touch /etc/planted 2>/dev/null && breach 'writes /etc'\n" + python(code)
    )


def hard_links(ground: Ground) -> str:
    code = f"""
for path in ("{ground.prize.log}", "{ground.prize.secrets}", "/usr/bin/env"):
    try: os.link(path, f"{ground.workdir}/stolen"); breach("links", path)
    except OSError as error: print("held:", error)
    try: opened = os.open(path, os.O_RDONLY)
    except OSError: continue
    for source, flags in ((f"/proc/self/fd/{{opened}}".encode(), {AT_SYMLINK_FOLLOW}), (b"", {AT_EMPTY_PATH})):
        folder = opened if not source else {AT_FDCWD}
        done, _ = syscall({SYS_LINKAT}, folder, source, {AT_FDCWD}, b"stolen", flags)
        if done == 0: breach("links what it has open", path)
try: os.rename("{ground.prize.log}", "moved"); breach("renames into its folder")
except OSError as error: print("held:", error)
"""
    return python(code)


def devices(ground: Ground) -> str:
    return """
mknod disk b 8 0 2>/dev/null && breach "makes a block device"
mknod mem c 1 1 2>/dev/null && breach "makes a character device"
for device in /dev/mem /dev/kmem /dev/port /dev/kmsg /dev/sda /dev/vda /dev/nvme0n1 /dev/kvm /dev/fuse /dev/net/tun \
        /dev/uinput /dev/loop-control /dev/mapper/control /dev/console /dev/tty0; do
    { : < $device; } 2>/dev/null && breach "opens $device"
done
(( $(ls /dev 2>/dev/null | wc -l) > 20 )) && breach "sees $(ls /dev | wc -l) entries in /dev"
: 2>/dev/null > /dev/tty && breach "has a terminal"
"""


def make_set_id_files(ground: Ground) -> str:
    """Each call that makes a file takes a mode; a program of another user that ran such a file would be the agent."""
    code = """
import stat
RESOLVE = 437
class How(ctypes.Structure): _fields_ = [(name, ctypes.c_uint64) for name in ("flags", "mode", "resolve")]
def by_openat2(name):
    how = How(os.O_CREAT | os.O_WRONLY, 0o6755, 0)
    done = libc.syscall(ctypes.c_long(RESOLVE), -100, name.encode(), ctypes.byref(how), ctypes.sizeof(how))
    if done < 0: raise OSError(ctypes.get_errno(), "openat2")
def by_tmpfile(name):
    opened = os.open(".", os.O_TMPFILE | os.O_WRONLY, 0o6755)
    os.link(f"/proc/self/fd/{opened}", name, follow_symlinks=True)
def by_libc(call, *given):
    if getattr(libc, call)(*given) < 0: raise OSError(ctypes.get_errno(), call)
os.umask(0)
ways = {
    "mknod": lambda name: os.mknod(name, stat.S_IFREG | 0o6755),
    "open": lambda name: os.open(name, os.O_CREAT | os.O_WRONLY, 0o6755),
    "set-user-id alone": lambda name: os.open(name, os.O_CREAT | os.O_WRONLY, 0o4755),
    "set-group-id alone": lambda name: os.open(name, os.O_CREAT | os.O_WRONLY, 0o2755),
    "creat": lambda name: by_libc("creat", name.encode(), 0o6755),
    "openat2": by_openat2, "a nameless file": by_tmpfile,
    "chmod": lambda name: (open(name, "w").close(), os.chmod(name, 0o6755)),
    "fchmod": lambda name: os.fchmod(os.open(name, os.O_CREAT | os.O_WRONLY, 0o755), 0o6755),
}
for number, (way, make) in enumerate(ways.items()):
    name = f"set-id-{number}"
    try: make(name)
    except OSError as error: print("held:", way, error)
    if os.path.exists(name) and os.stat(name).st_mode & 0o6000: breach("makes a set-id file by", way)
"""
    return python(code)


def fill_temporary_folders(ground: Ground) -> str:
    """Each file is smaller than the most that one file may hold; together they are more than there may be."""
    return """
written=0
for folder in /tmp /var/tmp /dev/shm /run /run/lock; do
    total=0
    for n in 1 2 3 4 5; do
        head -c 60M /dev/zero > $folder/fill-$n 2>/dev/null
        size=$(stat -c %s $folder/fill-$n 2>/dev/null || echo 0)
        total=$((total + size))
    done
    case $folder in
        /tmp) most=$((256 << 20));;
        /dev/shm) most=$((64 << 20));;
        *) most=0;;
    esac
    (( total > most )) && breach "$total bytes in $folder"
    rm -f $folder/fill-* 2>/dev/null
done
"""


def lock_what_others_need(ground: Ground) -> str:
    """Leases and locks on files that are only read would make the agent wait when it opens or locks them."""
    code = f"""
import fcntl
for path in ("{ground.prize.shared_memory}", "{ground.prize.index}", "{ground.prize.data}/agent.lock"):
    try:
        fcntl.flock(os.open(path, os.O_RDONLY), fcntl.LOCK_SH | fcntl.LOCK_NB); breach("locks", path)
    except OSError as error: print("held:", error)
opened = os.open("{ground.prize.log}", os.O_RDONLY)
try:
    fcntl.fcntl(opened, fcntl.F_SETLEASE, fcntl.F_RDLCK)
    breach("has a lease on a log: whoever opens it for writing waits 45 s")
except OSError as error: print("held:", error)
"""
    return python(code)


ON_FILES = (
    Case(8, "changing logs", change_logs),
    Case(8, "changing attributes of logs", change_attributes_of_logs),
    Case(8, "writing logs by descriptor", write_through_own_descriptor),
    Case(9, "remounting", remount),
    Case(12, "hard links", hard_links),
    Case(26, "devices", devices),
    Case(26, "set-id files", make_set_id_files, works_bare=True),
    Case(34, "filling temporary folders", fill_temporary_folders),
    Case(44, "locks and leases", lock_what_others_need),
)

"""Numbers of the system calls named by the filters, for the two known processors.

Source:
    Linux 6.18: arch/x86/entry/syscalls/syscall_64.tbl, include/uapi/asm-generic/unistd.h (also valid for arm64).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

_BOTH: dict[str, tuple[int, int | None]] = {
    # x86_64, aarch64
    "ptrace": (101, 117),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "process_madvise": (440, 440),
    "kcmp": (312, 272),
    "pidfd_getfd": (438, 438),
    "keyctl": (250, 219),
    "add_key": (248, 217),
    "request_key": (249, 218),
    "bpf": (321, 280),
    "userfaultfd": (323, 282),
    "io_setup": (206, 0),
    "io_submit": (209, 2),
    "io_uring_setup": (425, 425),
    "io_uring_enter": (426, 426),
    "io_uring_register": (427, 427),
    "perf_event_open": (298, 241),
    "mount": (165, 40),
    "umount2": (166, 39),
    "pivot_root": (155, 41),
    "move_mount": (429, 429),
    "open_tree": (428, 428),
    "open_tree_attr": (467, 467),
    "fsopen": (430, 430),
    "fsconfig": (431, 431),
    "fsmount": (432, 432),
    "fspick": (433, 433),
    "mount_setattr": (442, 442),
    "statmount": (457, 457),
    "listmount": (458, 458),
    "setns": (308, 268),
    "unshare": (272, 97),
    "chroot": (161, 51),
    "clone": (56, 220),
    "clone3": (435, 435),
    "kexec_load": (246, 104),
    "kexec_file_load": (320, 294),
    "init_module": (175, 105),
    "finit_module": (313, 273),
    "delete_module": (176, 106),
    "swapon": (167, 224),
    "swapoff": (168, 225),
    "reboot": (169, 142),
    "acct": (163, 89),
    "quotactl": (179, 60),
    "quotactl_fd": (443, 443),
    "settimeofday": (164, 170),
    "clock_settime": (227, 112),
    "clock_adjtime": (305, 266),
    "adjtimex": (159, 171),
    "open_by_handle_at": (304, 265),
    "name_to_handle_at": (303, 264),
    "syslog": (103, 116),
    "lookup_dcookie": (212, 18),
    "iopl": (172, None),
    "ioperm": (173, None),
    "modify_ldt": (154, None),
    "vhangup": (153, 58),
    "fanotify_init": (300, 262),
    "fanotify_mark": (301, 263),
    "move_pages": (279, 239),
    "migrate_pages": (256, 238),
    "shmget": (29, 194),
    "msgget": (68, 186),
    "semget": (64, 190),
    "memfd_create": (319, 279),
    "memfd_secret": (447, 447),
    "fallocate": (285, 47),
    "ioprio_set": (251, 30),
    "fcntl": (72, 25),
    "ioctl": (16, 29),
    "socket": (41, 198),
    "chmod": (90, None),
    "fchmod": (91, 52),
    "fchmodat": (268, 53),
    "fchmodat2": (452, 452),
    "open": (2, None),
    "openat": (257, 56),
    "openat2": (437, 437),
    "creat": (85, None),
    "mknod": (133, None),
    "mknodat": (259, 33),
    "setsid": (112, 157),
}


@dataclass(frozen=True, slots=True)
class Processor:
    """Architecture, as a filter needs to know."""

    audit_arch: int
    """The kernel's name of the calling convention (AUDIT_ARCH_…)."""
    first_foreign_number: int | None
    """Numbers from here on are of another calling convention (x32) under the same name; None without another."""
    numbers: Mapping[str, int]
    """By name; calls missing on this processor are left out."""


def _numbers(column: int) -> dict[str, int]:
    rows = {name: row[column] for name, row in _BOTH.items()}
    return {name: number for name, number in rows.items() if isinstance(number, int)}


PROCESSORS = {
    "x86_64": Processor(0xC000003E, 0x40000000, _numbers(0)),
    "aarch64": Processor(0xC00000B7, None, _numbers(1)),
}
"""By `os.uname().machine`."""

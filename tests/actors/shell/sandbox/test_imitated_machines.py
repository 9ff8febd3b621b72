"""The sandbox on other machines runs, or one sentence says what to do.

The words of bubblewrap are those of public reports: containers/bubblewrap 135, 284, 505, 632 and 764,
sandbox-runtime 74, openai/codex 15057 and 29908, typeclaw 1441, google/gvisor 13438.
"""

from __future__ import annotations

import errno
import subprocess
from pathlib import Path

import pytest

from tests.actors.shell.sandbox.imitation import ANY_BIT, DIFFERENT, EQUAL, NAMESPACES, Imitated, Rule, Said, imitate

NOWHERE = 0xFFFFFF9C
"""AT_FDCWD as a filter sees it."""
READ_WRITE_CLOEXEC = 0o2000002
NO_NEW_NAMESPACES: tuple[Rule, ...] = (
    ("clone3", errno.ENOSYS, ()),
    ("clone", errno.EPERM, ((0, ANY_BIT, NAMESPACES),)),
    ("unshare", errno.EPERM, ()),
)
DOCKER = (*NO_NEW_NAMESPACES, *((name, errno.EPERM, ()) for name in ("mount", "umount2", "pivot_root", "setns")))
"""Docker's default profile for a container without CAP_SYS_ADMIN."""
NO_UID_MAP: Rule = ("openat", errno.EACCES, ((0, DIFFERENT, NOWHERE), (2, EQUAL, READ_WRITE_CLOEXEC)))
"""AppArmor's answer to who was let make a user namespace and nothing in it: bubblewrap opens `uid_map` so."""
TO_NETLINK = ((5, EQUAL, 12),)
"""Arguments of `sendto` with an address of netlink's."""
UBUNTU = {"proc/sys/kernel/apparmor_restrict_unprivileged_userns": "1\n"}
PROC = {"proc/self/status": "Name:\tpython\n"}
FILTERED = {"proc/self/status": "Name:\tpython\nSeccomp:\t2\nSeccomp_filters:\t1\n"}

MASKED_PROC = "mount --bind /dev/null /proc/cpuinfo"
NO_NAMESPACES_LEFT = "echo 0 > /proc/sys/user/max_user_namespaces"
CHROOT = """
mount -t tmpfs none /mnt
mkdir /mnt/root
for name in /*; do
    if [ -L "$name" ]; then cp -P "$name" /mnt/root
    elif [ -d "$name" ] && [ "$name" != /mnt ]; then mkdir "/mnt/root$name"; mount --rbind "$name" "/mnt/root$name"; fi
done
here=$PWD
set -- chroot /mnt/root sh -c 'cd "$0" && exec "$@"' "$here" "$@"
"""

REFUSING: dict[str, tuple[Imitated, str, str]] = {
    "Ubuntu 24.04: no uid map": (
        Imitated(refused=(NO_UID_MAP,), files=UBUNTU | PROC),
        "setting up uid map: Permission denied",
        "apparmor_parser -r /etc/apparmor.d/remembrancer-bwrap",
    ),
    "Ubuntu 24.04: no loopback": (
        Imitated(refused=(("sendto", errno.EPERM, TO_NETLINK),), files=UBUNTU | PROC),
        "loopback: Failed RTM_NEWADDR: Operation not permitted",
        "apparmor_parser -r /etc/apparmor.d/remembrancer-bwrap",
    ),
    "Docker": (
        Imitated(refused=DOCKER, files={".dockerenv": ""} | PROC),
        "No permissions to create",
        "--security-opt seccomp=unconfined --security-opt systempaths=unconfined",
    ),
    "Docker on Ubuntu without seccomp": (
        Imitated(refused=(("mount", errno.EACCES, ()),), files={".dockerenv": ""} | UBUNTU | PROC),
        "Failed to make / slave: Permission denied",
        "on its host: sysctl -w kernel.apparmor_restrict_unprivileged_userns=0",
    ),
    "Podman: no host name": (
        Imitated(refused=(("sethostname", errno.EPERM, ()),), files={"run/.containerenv": ""} | PROC),
        "hostname to sandbox: Operation not permitted",
        "--security-opt seccomp=unconfined --security-opt unmask=ALL",
    ),
    "Podman on SELinux": (
        Imitated(refused=(("mount", errno.EACCES, ((3, EQUAL, 6),)),), files={"run/.containerenv": ""} | PROC),
        "Failed to mount tmpfs: Permission denied",
        "--security-opt label=disable",
    ),
    "a masked /proc": (
        Imitated(prelude=MASKED_PROC, files=PROC),
        "Can't mount proc on /newroot/proc: Operation not permitted",
        "--security-opt systempaths=unconfined (Podman: unmask=ALL",
    ),
    "Kubernetes": (
        Imitated(refused=DOCKER, files={"run/secrets/kubernetes.io/token": ""} | PROC),
        "No permissions to create",
        "procMount Unmasked",
    ),
    "containerd, or a unit of systemd": (
        Imitated(refused=NO_NEW_NAMESPACES, files=FILTERED),
        "No permissions to create",
        "in a systemd unit no RestrictNamespaces=",
    ),
    "LXC": (
        Imitated(refused=(("pivot_root", errno.EACCES, ()),), files={"run/systemd/container": "lxc\n"} | PROC),
        "pivot_root: Permission denied",
        "lxc config set NAME security.nesting=true",
    ),
    "WSL 1": (
        Imitated(
            refused=(("clone", errno.EINVAL, ((0, ANY_BIT, NAMESPACES),)), ("unshare", errno.EINVAL, ())),
            files={"proc/sys/kernel/osrelease": "4.4.0-19041-Microsoft\n"} | PROC,
        ),
        "Creating new namespace failed",
        "wsl --set-version NAME 2",
    ),
    "no user namespaces": (
        Imitated(prelude=NO_NAMESPACES_LEFT),
        "max_*_namespaces exceeded",
        "sysctl -w user.max_user_namespaces=15000",
    ),
    "Debian 10": (
        Imitated(refused=NO_NEW_NAMESPACES, files={"proc/sys/kernel/unprivileged_userns_clone": "0\n"} | PROC),
        "No permissions to create",
        "sysctl -w kernel.unprivileged_userns_clone=1",
    ),
    "a kernel without user namespaces": (
        Imitated(
            refused=(("clone", errno.EINVAL, ((0, ANY_BIT, NAMESPACES),)), ("unshare", errno.EINVAL, ())), files=PROC
        ),
        "Creating new namespace failed",
        "(EINVAL): it needs CONFIG_USER_NS",
    ),
    "gVisor": (
        Imitated(refused=(("sendto", errno.EEXIST, TO_NETLINK),), files=PROC),
        "loopback: Failed RTM_NEWADDR: File exists",
        "docker run --runtime runc",
    ),
    "an initramfs": (
        Imitated(refused=(("pivot_root", errno.EINVAL, ()),), files=PROC),
        "pivot_root: Invalid argument",
        "start the agent where a file system is mounted at /",
    ),
    "a chroot": (
        Imitated(prelude=CHROOT),
        "No permissions to create",
        "start the agent where a file system is mounted at /",
    ),
    "no /proc": (
        Imitated(prelude="mount -t tmpfs none /proc"),
        "without /proc",
        "mount -t proc proc /proc",
    ),
    "a /proc of processes only": (
        Imitated(prelude="mount -t proc -o subset=pid proc /proc"),
        "overflowuid",
        "no ProcSubset=pid",
    ),
}
"""Machine -> how it is imitated, what stands in the way, and what is to be done."""
RUNNING = {
    "WSL 2": Imitated(
        refused=(("landlock_create_ruleset", errno.EOPNOTSUPP, ()), ("fchmodat2", errno.ENOSYS, ())),
        files={"proc/sys/kernel/osrelease": "5.15.167.4-microsoft-standard-WSL2\n"} | PROC,
    ),
    "a kernel without clone3 and Landlock": Imitated(
        refused=(("clone3", errno.ENOSYS, ()), ("landlock_create_ruleset", errno.ENOSYS, ()))
    ),
    "root of a user namespace, as in rootless containers": Imitated(prelude=":"),
}


@pytest.fixture(autouse=True, scope="module")
def here(tmp_path_factory: pytest.TempPathFactory) -> Said:
    """Words on this machine; skips where not even this machine has a sandbox."""
    words = imitate(Imitated(), tmp_path_factory.mktemp("here"))
    if words.refusal:
        pytest.skip(words.refusal)
    return words


def _needs_unshare(machine: Imitated) -> None:
    if machine.prelude and subprocess.run(["unshare", "--user", "--map-root-user", "--mount", "true"]).returncode:
        pytest.skip("unshare makes no namespaces here")


@pytest.mark.slow
@pytest.mark.req("X-237")
@pytest.mark.parametrize("name", REFUSING)
def test_a_machine_that_forbids_sandboxes_is_told_what_to_do_in_one_sentence(tmp_path: Path, name: str) -> None:
    machine, cause, todo = REFUSING[name]
    _needs_unshare(machine)

    words = imitate(machine, tmp_path, asks_doctor=not machine.files)

    assert cause in words.refusal
    assert todo in words.refusal
    sentence = words.refusal[words.refusal.rindex(". ", 0, words.refusal.index(todo)) + 2 :]
    assert sentence.endswith(".")
    assert ". " not in sentence
    if not machine.files:
        assert sentence in words.doctor


@pytest.mark.slow
@pytest.mark.req("X-237")
@pytest.mark.parametrize("name", RUNNING)
def test_a_machine_with_an_unusual_kernel_has_its_sandbox(tmp_path: Path, name: str) -> None:
    _needs_unshare(RUNNING[name])

    words = imitate(RUNNING[name], tmp_path)

    assert words.refusal == ""
    assert "bubblewrap" in words.text


@pytest.mark.parametrize("call", ["setns", "move_mount", "mount_setattr"])
def test_where_no_mount_can_be_made_by_descriptor_mounts_are_made_by_path_and_this_is_told(
    here: Said, call: str, tmp_path: Path
) -> None:
    words = imitate(Imitated(refused=((call, errno.EPERM, ()),)), tmp_path)

    assert words.refusal == ""
    assert "mounts are made by path" in words.text
    assert "mounts are made by path" not in here.text

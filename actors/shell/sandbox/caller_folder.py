"""Caller's folder: what commands of the command line may see of it, and what they may never change in it.

The folder in which somebody types `agent-cli` is theirs: their secrets lie in it, and what their shell, their editor,
git and this agent itself will run next. So commands read it, unless they were let write, and then too some names stay
as they are and some are not shown at all.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

from actors.shell.refused import RefusedError
from actors.shell.sandbox.view import is_below

HIDDEN = (
    *("secrets.env", "secrets.toml", "secrets.y*ml", "secrets.json", "secrets.txt", ".secrets*", "credentials.*"),
    *(".env", ".env.*", ".env-*", ".env_*", "*.env", "*.env.*", ".envrc", ".htpasswd", ".boto", ".s3cfg", ".my.cnf"),
    *(".ssh", ".gnupg", ".aws", ".azure", ".kube", ".docker", ".password-store", ".terraform.d", ".mozilla", "gcloud"),
    *(".netrc", ".pgpass", ".npmrc", ".pypirc", ".git-credentials", ".vault-token", ".*_history"),
    *("application_default_credentials.json", "service-account*.json", "*.p12", "*.pfx", "*.jks", "*.ppk", "*.kdbx"),
    *("id_rsa*", "id_dsa*", "id_ecdsa*", "id_ed25519*", "*.pem", "*.key"),
)
"""Names of what holds secrets, anywhere in the folder, in whatever case."""
SHOWN_ANYWAY = ("*.example", "*.sample", "*.template", "*.dist", "*.pub", "*cert*.pem", "*chain*.pem", "ca*.pem")
NEVER_SHOWN = ("*key*.pem", "*.env.dist")
PROTECTED = (
    *(".git", ".gitmodules", ".gitconfig", ".gitattributes", ".hg", ".svn", ".venv", "venv", "agent.toml", "*.pth"),
    *(".bashrc", ".bash_*", ".profile", ".zsh*", ".zprofile", ".zlogin", ".zlogout", ".login", ".cshrc", ".tcshrc"),
    *(".inputrc", ".vimrc", ".exrc", ".emacs", ".tmux.conf", ".vscode", ".idea", ".mcp.json", ".claude", ".cursor"),
    *("sitecustomize.py", "usercustomize.py", ".pdbrc", ".direnv", ".pre-commit-config.yaml", ".husky"),
)
"""Names of what somebody's programs run or obey, anywhere in the folder: read-only whatever was let."""
RESERVED = ("agent.toml", "secrets.env")
"""Names that a command may not give to anything new either: the agent's next start would obey it."""
_NOT_WALKED = (".git", ".hg", ".svn", ".venv", "venv")
MOST_ENTRIES = 500_000
MOST_KEPT = 1_000
"""Hidden or protected; each costs a command a fifth of a millisecond."""
_SYSTEM = ("/usr", "/etc", "/proc", "/dev", "/run", "/sys", "/boot")


@dataclass(frozen=True, slots=True, kw_only=True)
class CallerFolder:
    """Decisions about the folder of the command line's caller."""

    may_write: bool = False
    """Whether commands may change it, but for what is protected."""
    private: tuple[Path, ...] = ()
    """Files and folders that are never shown: the data root, the secrets file in force."""
    unchanging: tuple[Path, ...] = ()
    """What is shown and never changed: the settings in force, the running program with its packages."""


READING = CallerFolder()


@dataclass(frozen=True, slots=True)
class Findings:
    """What is in a caller's folder."""

    hidden: tuple[str, ...]
    protected: tuple[str, ...]


def examine(folder: Path, decisions: CallerFolder) -> Findings:
    """What commands may not see and may not change in `folder`; looks at every name in it once.

    Raises:
        RefusedError: commands cannot be run there at all.
    """
    here = os.path.realpath(folder)
    private = [os.path.realpath(path) for path in decisions.private]
    unchanging = [os.path.realpath(path) for path in decisions.unchanging if path.exists()]
    if here == "/" or is_below(here, (*private, *_SYSTEM)):
        raise RefusedError(f"Commands cannot be run in {here}: it belongs to the agent or to the system.")
    if decisions.may_write:
        check_writing(folder, decisions.unchanging)
    hidden = [path for path in private if is_below(path, (here,)) and Path(path).exists()]
    protected = [path for path in unchanging if is_below(path, (here,))]
    for path, is_hidden in _named(here, private):
        (hidden if is_hidden else protected).append(path)
    if len(hidden) + len(protected) > MOST_KEPT:
        raise RefusedError(
            f"Commands cannot be run in {here}: more than {MOST_KEPT:,} of its files are like secrets or what programs "
            "obey. Start in a smaller folder."
        )
    return Findings(tuple(dict.fromkeys(hidden)), tuple(dict.fromkeys(protected)))


def check_writing(folder: Path, unchanging: Iterable[Path]) -> None:
    """See that commands may be let write in a folder at all.

    Raises:
        RefusedError: it holds a home directory, or it belongs to what the agent runs from.
    """
    here, home = os.path.realpath(folder), os.path.realpath(Path.home())
    if is_below(home, (here,)):
        raise RefusedError(
            f"Commands cannot be let write in {here}: it is or holds a home directory. Use a folder in it."
        )
    for path in map(os.path.realpath, unchanging):
        if is_below(here, (path,)):
            raise RefusedError(f"Commands cannot be let write in {here}: the running agent is in {path}.")


def _named(here: str, private: Sequence[str]) -> Iterator[tuple[str, bool]]:
    """What is hidden (true) or protected (false) by its name; a link counts as what it leads to."""
    seen, twins = 0, _inodes(private)
    left = [here]
    while left:
        folder = left.pop()
        try:
            entries = _entries(folder)
        except OSError as error:  # what cannot be listed may yet be opened by name
            if folder == here:
                raise RefusedError(f"Commands cannot be run in {here}: {error.strerror}.") from None
            yield folder, True
            continue
        for entry in entries:
            seen += 1
            if seen > MOST_ENTRIES:
                raise RefusedError(
                    f"Commands cannot be run in {here}: it holds more than {MOST_ENTRIES:,} files, too many to find "
                    "the secrets among them. Start in a smaller folder."
                )
            is_hidden = _is_secret(entry, twins)
            if is_hidden or _matches(entry.name, PROTECTED):
                target = os.path.realpath(entry.path)
                if is_below(target, (here,)) and os.path.exists(target):  # noqa: PTH110
                    yield target, is_hidden
            is_walked = not is_hidden and entry.name not in _NOT_WALKED and entry.path not in private
            if is_walked and entry.is_dir(follow_symlinks=False):
                left.append(entry.path)


def _is_secret(entry: os.DirEntry[str], twins: Set[tuple[int, int]]) -> bool:
    """Whether something is hidden by its name, or by being another name of what is private."""
    if _matches(entry.name, HIDDEN) and (not _matches(entry.name, SHOWN_ANYWAY) or _matches(entry.name, NEVER_SHOWN)):
        return True
    if not twins or not entry.is_file(follow_symlinks=False):
        return False
    status = entry.stat(follow_symlinks=False)
    return (status.st_dev, status.st_ino) in twins


def _inodes(private: Sequence[str]) -> Set[tuple[int, int]]:
    """Private files that have another name somewhere."""
    found = [os.stat(path) for path in private if os.path.isfile(path)]  # noqa: PTH113, PTH116
    return {(status.st_dev, status.st_ino) for status in found if status.st_nlink > 1}


def _entries(folder: str) -> list[os.DirEntry[str]]:
    with os.scandir(folder) as entries:
        return list(entries)


def _matches(name: str, patterns: Sequence[str]) -> bool:
    return any(fnmatchcase(name.casefold(), pattern) for pattern in patterns)

"""Tokens and keys: taken out of the environment and a private file, never shown."""

from __future__ import annotations

import os
import re
import shlex
import stat
from collections.abc import Mapping, MutableMapping
from difflib import get_close_matches
from pathlib import Path
from types import MappingProxyType
from typing import NoReturn

from actors.settings.left_out import LeftOut
from actors.settings.problem import Problem, SettingsError, quote_text
from actors.settings.trust import Trust, digest_of
from domain.policy.folder_trust import Standing

DISCORD_BOT_TOKEN = "DISCORD_BOT_TOKEN"
FILE_NAME = "secrets.env"
FILE_VARIABLE = "AGENT_SECRETS"

SHOWN_WHEN_MISSING = (DISCORD_BOT_TOKEN, "ANTHROPIC_API_KEY", "GEMINI_API_KEY", "OPENAI_API_KEY")
"""Most used secrets; `agent config` lists them even when missing."""

_OTHER_NAMES = frozenset(
    {
        "AZURE_AD_TOKEN",
        "COMETAPI_KEY",
        "FIREWORKS_AI_TOKEN",
        "FRIENDLI_TOKEN",
        "GIGACHAT_CREDENTIALS",
        "HF_TOKEN",
        "JINA_AI_TOKEN",
        "REPLICATE_API_TOKEN",
        "SCW_SECRET_KEY",
        "TOGETHER_AI_TOKEN",
        "VOYAGE_AI_TOKEN",
        "WATSONX_APIKEY",
        "WATSONX_TOKEN",
        "WATSONX_ZENAPIKEY",
    }
)
"""litellm's names of keys outside the pattern `<PROVIDER>_API_KEY`."""

_PROVIDER_NAME = re.compile(r"[A-Z][A-Z0-9_]*_API_KEY")
_ASSIGNMENT = re.compile(r"(?:export[ \t]+)?([A-Za-z_][A-Za-z0-9_]*)[ \t]*=[ \t]*(.*)", re.DOTALL)
_LARGEST_FILE_BYTES = 64 * 1024


def secrets_path(environ: Mapping[str, str], folder: Path | None) -> Path | None:
    """Path of the secrets file: named by `$AGENT_SECRETS`, else `secrets.env` in `folder`; the file need not exist."""
    if named := environ.get(FILE_VARIABLE):
        return Path(named)
    return None if folder is None else folder / FILE_NAME


class Secrets:
    """Secrets found; the text form has names only, never a value."""

    __slots__ = ("_sources", "_values", "left_out")

    def __init__(self, values: Mapping[str, str], sources: Mapping[str, str], left_out: LeftOut = LeftOut()) -> None:  # noqa: B008 - frozen
        self._values = MappingProxyType(dict(values))
        self._sources = MappingProxyType(dict(sources))
        self.left_out = left_out
        """Secrets file, if ignored."""

    @classmethod
    def take(cls, environ: MutableMapping[str, str], folder: Path | None = None, trust: Trust | None = None) -> Secrets:
        """Every secret of the environment and of the secrets file; the environment wins.

        Taken are `DISCORD_BOT_TOKEN`, every `<PROVIDER>_API_KEY` and litellm's other names for keys. Variables for a
        provider's own library (`AWS_…`, `GOOGLE_APPLICATION_CREDENTIALS`) stay. Linux keeps showing in `/proc` the
        environment of a process's start, so the file is the better place.

        Args:
            environ: The process's own; loses the secrets taken, so children don't inherit them.
            folder: Folder of `secrets.env` when `$AGENT_SECRETS` names no file; None for no folder.
            trust: Standing of files with the user: unless the variable gives a full path, a file counts only if
                trusted, and otherwise stops no command. None if the caller has named the folder.

        Raises:
            SettingsError: The file is open to others or not made of NAME=value lines, or the bot's token is malformed.
        """
        # Out of the environment first, whatever is wrong with the file.
        from_environment = {name: environ.pop(name).strip() for name in list(environ) if is_secret_name(name)}
        values: dict[str, str] = {}
        sources: dict[str, str] = {}
        left_out = LeftOut()
        if (path := secrets_path(environ, folder)) is not None:
            named = environ.get(FILE_VARIABLE, "")
            judge = None if Path(named).is_absolute() else trust
            content = _content(path, required=bool(named), judge=judge)
            if isinstance(content, LeftOut):
                left_out = content
            elif content is not None:
                values = _parse_secrets(_decode_file(content, path), str(path))
                sources = dict.fromkeys(values, str(path))
        present = {name: value for name, value in from_environment.items() if value}
        secrets = cls(values | present, sources | dict.fromkeys(present, "env"), left_out)
        secrets._check_discord_token()
        return secrets

    @property
    def discord_token(self) -> str | None:
        """Token of the bot; None if missing."""
        return self._values.get(DISCORD_BOT_TOKEN)

    @property
    def sources(self) -> Mapping[str, str]:
        """Name of each secret that is set -> `env`, or the secret's file."""
        return self._sources

    def environment(self) -> Mapping[str, str]:
        """Keys of the providers under litellm's names, to be passed on explicitly; the bot's token is not included."""
        return MappingProxyType({name: value for name, value in self._values.items() if name != DISCORD_BOT_TOKEN})

    def __repr__(self) -> str:
        return f"Secrets({', '.join(f'{name} set' for name in sorted(self._values))})"

    def __reduce__(self) -> NoReturn:
        raise TypeError("secrets are not for pickling or copying")

    def _check_discord_token(self) -> None:
        token = self.discord_token
        if token is None or re.fullmatch(r"[!-~]+", token):
            return
        rule = 'must be the token alone: one word, without "Bot" before it'
        raise SettingsError(Problem(DISCORD_BOT_TOKEN, 0, f"{rule} (from {self._sources[DISCORD_BOT_TOKEN]})"))


def is_secret_name(name: str) -> bool:
    """True if a variable of this name holds the bot's token or a provider's key."""
    return name == DISCORD_BOT_TOKEN or is_provider_secret(name)


def is_provider_secret(name: str) -> bool:
    """True if a variable of this name holds a provider's key."""
    return name in _OTHER_NAMES or _PROVIDER_NAME.fullmatch(name) is not None


def _content(path: Path, *, required: bool, judge: Trust | None) -> bytes | LeftOut | None:
    """Bytes of the secrets file, read once; None for a missing file, and a message about a file that does not count."""
    try:
        # Not blocking: a pipe of that name must not stop the start.
        with open(os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK), "rb") as stream:  # noqa: PTH123 - has no Path
            status = os.fstat(stream.fileno())
            if judge is None:
                _check_private(status, path)
            content = stream.read(_LARGEST_FILE_BYTES + 1) if stat.S_ISREG(status.st_mode) else b""
    except FileNotFoundError:
        if required or (path.is_symlink() and judge is None):
            raise SettingsError(Problem(str(path), 0, "there is no such file")) from None
        return None
    except OSError as error:
        if judge is not None:
            return LeftOut(secrets=path.name)
        raise SettingsError(Problem(str(path), 0, f"can't be read: {error.strerror}")) from None
    if judge is not None:
        standing = judge.standing(path, digest_of(content))
        if standing is not Standing.TRUSTED:
            changed = path.name if standing is Standing.CHANGED else ""
            return LeftOut(secrets=path.name, changed=changed, trouble=judge.trouble)
        _check_private(status, path)
    if len(content) > _LARGEST_FILE_BYTES:
        raise SettingsError(Problem(str(path), 0, f"must be at most {_LARGEST_FILE_BYTES} bytes long"))
    return content


def _decode_file(content: bytes, path: Path) -> str:
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        # Without the codec's message, which has the bytes in it.
        raise SettingsError(Problem(str(path), 0, "must be UTF-8")) from None


def _check_private(status: os.stat_result, path: Path) -> None:
    name = shlex.quote(str(path))
    if not stat.S_ISREG(status.st_mode):
        raise SettingsError(Problem(str(path), 0, "is not a file"))
    if status.st_uid not in (os.geteuid(), 0):
        rule = f"must belong to the agent's user or to root; run: chown {os.geteuid()} {name}"
        raise SettingsError(Problem(str(path), 0, f"belongs to user {status.st_uid}: {rule}"))
    if status.st_mode & 0o077:
        mode = stat.S_IMODE(status.st_mode)
        raise SettingsError(
            Problem(str(path), 0, f"mode is {mode:04o}: must be closed to others; run: chmod 600 {name}")
        )


def _parse_secrets(text: str, place: str) -> dict[str, str]:
    """Secrets of a file; every bad line is reported, no line is quoted."""
    values: dict[str, str] = {}
    problems: list[Problem] = []
    for number, raw in enumerate(text.split("\n"), start=1):
        line = raw.strip()
        if not line or line.startswith("#"):
            continue
        try:
            name, value = _assignment(line)
            if name in values:
                raise ValueError(f"{name}: must stand here once, not twice")
        except ValueError as error:
            problems.append(Problem(place, number, str(error)))
        else:
            values[name] = value
    if problems:
        raise SettingsError(*problems)
    return {name: value for name, value in values.items() if value}


def _assignment(line: str) -> tuple[str, str]:
    match = _ASSIGNMENT.fullmatch(line)
    if match is None:
        raise ValueError("must be NAME=value, or a comment after #")
    name, value = match[1], match[2]
    if not is_secret_name(name):
        raise ValueError(_unknown_name(name))
    if len(value) >= 2 and value[0] == value[-1] and value[0] in "\"'":
        return name, value[1:-1]
    if re.search(r"[\s\"'#]", value):
        raise ValueError(
            f"{name}: a value with a space, a quote or # must stand in quotes; comments need a line of their own"
        )
    return name, value


def _unknown_name(name: str) -> str:
    close = get_close_matches(name.upper(), [*SHOWN_WHEN_MISSING, *sorted(_OTHER_NAMES)], n=1, cutoff=0.7)
    # A value pasted without its name may look like a name, so only what resembles one of ours is repeated.
    if close:
        return f"{quote_text(name)}: unknown name; did you mean {close[0]}?"
    return "unknown name: must be DISCORD_BOT_TOKEN or a provider's key as litellm names it, e.g. GEMINI_API_KEY"

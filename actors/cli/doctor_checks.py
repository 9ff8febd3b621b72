"""What `agent doctor` looks at; each check says what it found, and what to do if that is not well."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from actors.cli.doctor_check import Check, Level
from actors.cli.doctor_features import feature_checks
from actors.context.data_root import DataRoot, DataRootError
from actors.context.log_file import check_file
from actors.settings.schema import Settings
from actors.settings.secret import Secrets
from actors.shell.launch import probe_bash
from actors.shell.sandbox.ladder import sandbox_level
from domain.offline.model import model_label

PACKAGES = (
    "pykka",
    "discord.py",
    "litellm",
    "google-genai",
    "apsw",
    "sqlite-vec",
    "numpy",
    "tenacity",
    "python-dateutil",
    "tzdata",
    "msgspec",
    "aiohttp",
    "pydantic-settings",
    "click",
)
LEAST_FREE_BYTES = 512 * 1024 * 1024
LEAST_FILES = 1024


def all_checks(settings: Settings, secrets: Secrets) -> Iterator[Check]:
    """Everything, in the order in which a person would mend it."""
    yield Check("python", Level.OK, sys.version.split()[0])
    yield from _packages()
    yield Check("settings", Level.OK, str(settings.origin.file or "no agent.toml: defaults"))
    yield _model(settings, secrets)
    yield _discord(settings, secrets)
    yield _bash()
    yield _sandbox(settings)
    yield from _data_root(settings.data_root)
    yield from feature_checks(settings, secrets)
    yield _files_limit()


def _packages() -> Iterator[Check]:
    for name in PACKAGES:
        try:
            yield Check(name, Level.OK, version(name))
        except PackageNotFoundError:
            yield Check(name, Level.FAIL, "not installed; run bin/agent, which sets up .venv")


def _model(settings: Settings, secrets: Secrets) -> Check:
    name = settings.model.name
    if name == "offline" or settings.model.api_base:
        return Check("model", Level.OK, model_label(name))
    keys = [key for key in secrets.environment() if key.endswith("_API_KEY")]
    if not keys:
        return Check("model", Level.WARN, f"{model_label(name)}: no provider key is set; see docs/operations.md")
    return Check("model", Level.OK, f"{model_label(name)}; keys set: {', '.join(sorted(keys))}")


def _discord(settings: Settings, secrets: Secrets) -> Check:
    lacking = []
    if not secrets.discord_token:
        lacking.append("DISCORD_BOT_TOKEN")
    if not settings.discord.channels:
        lacking.append("discord.channels")
    if not settings.discord.allowed_users and not settings.discord.allowed_roles:
        lacking.append("discord.allowed_users or allowed_roles")
    if lacking:
        return Check("discord", Level.WARN, f"`agent run` needs {', '.join(lacking)}; `agent try` needs none of it")
    return Check("discord", Level.OK, f"{len(settings.discord.channels)} channels at {settings.discord.api_base}")


def _bash() -> Check:
    path = probe_bash()
    if path is None:
        return Check("bash", Level.FAIL, "no working bash found; the agent's only tool needs one")
    return Check("bash", Level.OK, path)


def _sandbox(settings: Settings) -> Check:
    bash = probe_bash()
    if bash is None:
        return Check("sandbox", Level.WARN, "not tried: there is no bash")
    found = sandbox_level(settings.shell.sandbox, bash)
    network = " The network is open to commands (shell.network)." if settings.shell.network == "on" else ""
    if found.refusal:
        hint = "commands are refused; install bubblewrap, or see shell.sandbox in docs/operations.md"
        return Check("sandbox", Level.FAIL, f"{found.text}; {hint}")
    if found.enclosure is None:
        return Check("sandbox", Level.WARN, f"{found.text}; commands run unsandboxed, with the rights of this user")
    return Check("sandbox", Level.WARN if network else Level.OK, f"{found.text}.{network}" if network else found.text)


def _data_root(path: Path) -> Iterator[Check]:
    if not path.exists():
        parent = next(folder for folder in path.parents if folder.exists())
        writable = os.access(parent, os.W_OK)
        level = Level.OK if writable else Level.FAIL
        yield Check("data root", level, f"{path} (not there yet; {'can' if writable else 'cannot'} be made)")
        return
    root = DataRoot(path)
    try:
        root.hold()
    except DataRootError as error:
        in_use = "another agent" in str(error)
        yield Check("data root", Level.OK if in_use else Level.FAIL, str(error))
    else:
        root.release()
        yield Check("data root", Level.OK, str(path))
    free = shutil.disk_usage(path).free
    detail = f"{free / 1e9:.1f} GB free"
    yield Check("disk", Level.OK if free >= LEAST_FREE_BYTES else Level.FAIL, detail)
    yield _logs(root.logs)


def _logs(folder: Path) -> Check:
    files = sorted(folder.rglob("*.md"))
    bad = []
    for path in files:
        try:
            found = check_file(path)
        except OSError as error:
            bad.append(f"{path}: {error.strerror}")
            continue
        bad += [f"{path}:{finding.line}: {finding.reason}" for finding in found]
    if bad:
        return Check("logs", Level.FAIL, f"{len(files)} checked, {len(bad)} problems, first: {bad[0]}")
    return Check("logs", Level.OK, f"{len(files)} checked, every hash chain holds")


def _files_limit() -> Check:
    import resource

    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    if 0 <= hard < LEAST_FILES:
        return Check("open files", Level.WARN, f"at most {hard}; each live window needs one")
    return Check("open files", Level.OK, f"at most {hard}")

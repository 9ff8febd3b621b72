"""Findings of `agent doctor`: the needs of all parts, then the results of each part's checks."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from actors.bootstrap import agent_plan, discord_connection
from actors.cli.common import left_out_sentence
from actors.cli.setup.survey import survey_findings
from actors.context.log.data_root import DataRoot, DataRootError
from actors.kernel import ActorSystem
from actors.part import Check, Finding, Layer, Level, Repair, command
from actors.parts import LAYERS, parts
from actors.settings.schema import Settings
from actors.settings.secret import Secrets
from actors.socket.client import AgentNotRunningError, RefusalError, ask_operator

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
LEAST_FILES = 1024
STATUS_S = 10.0
"""For the running agent's answer."""


def all_findings(settings: Settings, secrets: Secrets, layers: Iterable[Layer] = LAYERS) -> Iterator[Finding]:
    """All findings in the order of repair: the common needs first, then part by part."""
    yield Finding("python", Level.OK, sys.version.split()[0])
    yield from _packages()
    yield from _settings_files(settings, secrets)
    connection = discord_connection(settings, secrets.discord_token or "")
    plan = agent_plan(settings, secrets.environment(), ActorSystem(workers=0), connection)
    try:
        table = parts(plan, layers)
    except Exception as error:  # noqa: BLE001  # a layer's row may fail as it likes; what else there is, is worth a look
        yield Finding("layers", Level.FAIL, f"{type(error).__name__}: {error}; its parts are left out of these checks")
        table = parts(plan, ())
    for part in table:
        if part.unusable and not part.says_unusable:
            yield Finding(part.spec.kind, Level.FAIL, " ".join(part.unusable.split()))
        for check in part.checks:
            yield from _findings_of(part.spec.kind, check)
    yield from _findings_of("discord ids", lambda: survey_findings(settings, connection, plan.system.clock.now()))
    yield _files_limit()
    try:
        is_held = plan.is_held()
    except DataRootError:
        return  # the check of the data root has said so
    if is_held:
        yield _running_agent(settings)


def mend(data_root: Path, findings: Iterable[Finding]) -> Iterator[str]:
    """Make the repairs that need no person; report for each the action, or the obstacle.

    Args:
        data_root: Folder that no agent may use meanwhile, except for repairs allowed beside a running agent.
        findings: Findings with their repairs.
    """
    root = DataRoot(data_root)
    obstacle = ""
    if data_root.is_dir():
        try:
            root.lock()
        except DataRootError as error:
            obstacle = f"{error}; stop it first"
    try:
        for finding in findings:
            if finding.repair is None or finding.repair.act is None:
                continue
            if obstacle and not finding.repair.while_running:
                yield f"{finding.name}: not done: {obstacle}"
                continue
            try:
                finding.repair.act()
            except Exception as error:  # noqa: BLE001  # a part's repair may fail as it likes; the others are worth making
                reason = (isinstance(error, OSError) and error.strerror) or str(error) or type(error).__name__
                yield f"{finding.name}: not done: {reason}"
            else:
                yield f"{finding.name}: {finding.repair.text}: done"
    finally:
        root.release()


def _findings_of(part: str, check: Check) -> Iterator[Finding]:
    """Findings of a part's check; a failing check is itself a finding, and hides no other."""
    try:
        for finding in check():
            yield _sound(finding)
    except (Exception, SystemExit) as error:  # noqa: BLE001  # whatever it is, the other checks are worth reading
        yield Finding(part, Level.FAIL, f"its check could not be made: {type(error).__name__}: {error}")


def _sound(finding: object) -> Finding:
    """Result of a check, verified to be a finding.

    Raises:
        TypeError: the result is no finding.
    """
    if isinstance(finding, Finding):
        fields: tuple[object, ...] = (finding.name, finding.level, finding.detail)
        if all(map(isinstance, fields, (str, Level, str))):
            return finding
    raise TypeError(f"{finding!r}: a Finding with a name, a Level and a detail is expected")


def _settings_files(settings: Settings, secrets: Secrets) -> Iterator[Finding]:
    yield Finding("settings", Level.OK, str(settings.origin.file or "no agent.toml: defaults"))
    if sentence := left_out_sentence(settings, secrets):
        repair = Repair(f"look at it, then run `{command()} trust`")
        yield Finding("trust", Level.FAIL, sentence, repair)


def _packages() -> Iterator[Finding]:
    for name in PACKAGES:
        try:
            yield Finding(name, Level.OK, version(name))
        except PackageNotFoundError:
            yield Finding(name, Level.FAIL, "not installed; run bin/agent in a checkout, or install the wheel again")


def _running_agent(settings: Settings) -> Finding:
    """Check that the agent running on the data root answers, with all of its parts."""
    name = "running agent"
    try:
        system = ask_operator(settings.data_root, "status", STATUS_S)["system"]
    except (AgentNotRunningError, RefusalError) as error:
        return Finding(name, Level.FAIL, f"{error}; if this lasts, restart the agent")
    if late := system.get("not_answering"):
        return Finding(name, Level.FAIL, f"{', '.join(late)}: no answer; if this lasts, restart the agent")
    if stuck := system.get("stuck"):
        times = ", ".join(f"{kind} {count}" for kind, count in stuck.items())
        return Finding(name, Level.WARN, f"all actors answer; stuck for a while, as the log says: {times}")
    return Finding(name, Level.OK, "all actors answer")


def _files_limit() -> Finding:
    import resource

    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    if 0 <= hard < LEAST_FILES:
        return Finding("open files", Level.WARN, f"at most {hard}; each live window needs one")
    return Finding("open files", Level.OK, f"at most {hard}")

"""What `agent doctor` says of skills, memory and reminders."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from actors.cli.doctor_check import Check, Level
from actors.settings.schema import Settings
from actors.settings.secret import Secrets

if TYPE_CHECKING:
    from messages.memory import MemoryDescribed


def feature_checks(settings: Settings, secrets: Secrets) -> Iterator[Check]:
    """Skills, the embedder, the index beside the logs, the reminders' file."""
    yield from _skills(settings)
    if settings.memory.enabled:
        yield _embedder(settings, secrets)
        yield _search()
        yield _index(settings, secrets)
    if settings.reminders.file:
        yield from _reminders(settings)


def _skills(settings: Settings) -> Iterator[Check]:
    from actors.skills.folders import skill_findings
    from actors.specs import skill_folders

    folders = skill_folders(settings)
    findings = skill_findings(folders)
    if not findings:
        yield Check("skills", Level.OK, ", ".join(str(folder) for folder in folders if folder.is_dir()) or "none")
    for finding in findings:
        yield Check("skills", Level.WARN, finding)


def _embedder(settings: Settings, secrets: Secrets) -> Check:
    from actors.embedder.spaces import Provider
    from actors.specs import embedding_space_of

    try:
        space = embedding_space_of(settings, secrets.environment())
    except ValueError as error:
        return Check("embedder", Level.FAIL, str(error))
    if space.provider is Provider.HASHED:
        return Check(
            "embedder", Level.WARN, f"{space.name}: words are hashed; install the extra `local` (bin/agent does)"
        )
    if space.provider is Provider.GOOGLE and "GEMINI_API_KEY" not in secrets.environment():
        return Check("embedder", Level.FAIL, f"{space.name}: there is no GEMINI_API_KEY")
    return Check("embedder", Level.OK, space.name)


def _search() -> Check:
    from actors.memory.codes import scan

    if scan.is_available():
        return Check("search", Level.OK, "compiled")
    return Check(
        "search",
        Level.WARN,
        "in numpy, several times slower: install a C compiler, remove .venv/scan.stamp, start anew",
    )


def _index(settings: Settings, secrets: Secrets) -> Check:
    from actors.cli.memory_actors import has_index, memory_alone
    from actors.specs import UnusableError
    from messages.memory import DescribeMemory, MemoryDescribed

    said = words_in_logs(settings.data_root)
    if not has_index(settings):
        return Check("memory", Level.OK, f"no index yet: the next start makes it of {said} turns")
    try:
        with memory_alone(settings, secrets.environment(), read_only=True, embeds=False) as ask:
            described = ask(DescribeMemory, 60.0)
    except UnusableError:
        return Check(
            "memory", Level.WARN, f"not looked at before the embedder is put right; the logs hold {said} turns"
        )
    if not isinstance(described, MemoryDescribed):
        return Check("memory", Level.WARN, "the index gives no answer; the next start makes it anew if it must")
    return _compared(described, said)


def _compared(index: MemoryDescribed, said: int) -> Check:
    counts = f"{index.rows} turns ({index.pending} wait for a vector, {index.failed} got none), {index.pins} pins"
    if index.rows < said:
        missing = f"; the logs hold {said}: the next start or comparison with the logs adds the rest"
        return Check("memory", Level.WARN, counts + missing)
    if index.damaged_logs:
        return Check("memory", Level.WARN, f"{counts}; {index.damaged_logs} logs are damaged")
    return Check("memory", Level.OK, f"{counts}, all that the logs hold")


def words_in_logs(data_root: Path) -> int:
    """How many turns the logs hold that the index should hold, too."""
    from domain.log.parser import parse
    from domain.memory.remembered import Remembered, remembered

    found = 0
    for path in sorted((data_root / "logs").rglob("*.md")):
        for logged in parse(path.read_bytes()).events:
            event = logged.event
            entry = remembered(
                path=str(path.relative_to(data_root)),
                line=logged.line,
                event_id=event.id,
                kind=event.kind,
                at=event.at,
                text=event.content,
                meta_json=event.meta_json,
            )
            found += isinstance(entry, Remembered) and not entry.is_own_pin
    return found


def _reminders(settings: Settings) -> Iterator[Check]:
    from actors.scheduler.paths import reminders_path
    from actors.scheduler.reminder_file import FileRefusedError, ReminderFile
    from actors.scheduler.zone import ZoneMissingError, load_zone
    from domain.reminder.document import scan

    try:
        load_zone()
    except ZoneMissingError as error:
        yield Check("clocks", Level.FAIL, str(error))
        return
    path = reminders_path(settings.data_root, settings.reminders.file)
    if path is None:
        return
    try:
        found = scan(ReminderFile(path, path.parent).read() or b"")
    except (FileRefusedError, OSError) as error:
        yield Check("reminders", Level.WARN, f"{path}: {error}")
        return
    faults = len(found.faults) + len(found.repeated)
    hint = f", {faults} lines that look like some and aren't: `agent reminders check`" if faults else ""
    yield Check("reminders", Level.WARN if faults else Level.OK, f"{len(found.entries)} in {path}{hint}")

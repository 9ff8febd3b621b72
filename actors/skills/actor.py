"""SkillsActor: the list of skills, at the end of the model's instructions."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from pathlib import Path, PurePosixPath
from types import MappingProxyType

from actors.kernel import Actor, not_understood
from actors.part import SHIPPED_SKILLS
from actors.skill_files.folders import MOST_CHANGES, SkillFolders, SkillScan, read_whole
from actors.skills.commands import SHIPPED
from domain.policy.foreign_skill.record import Entry
from domain.text.token_estimate import tokens_of_text
from domain.turn.skill import Listing, Skill, invocation, list_skills
from messages.base import RequestId, Surface
from messages.skills import ListSkills, ReadSkill, SkillEntry, SkillRead, SkillsListed, SkillsMessage, SkillState
from messages.socket import Refused
from messages.status import DescribeYourself, SelfDescription
from messages.turn import PrepareTurn, SkillCommands, TurnContribution

log = logging.getLogger(__name__)

FRESH_S = 3.0
"""Age in seconds up to which a look at the folders serves every turn."""
SHOWN_COMMIT = 12
"""Digits of a commit."""


class SkillsActor(Actor):
    """Contributes the list of skills to every turn, from the folders' content at the time.

    Owns: no files; it reads the skill folders, open to changes by people and other programs at any time.
    Asks: no actor.
    Crashes on: its own faults; an unreadable folder or file is a warning, logged once.
    """

    def __init__(
        self, *, roots: tuple[Path, ...], channels: Mapping[Path, frozenset[str]] = MappingProxyType({})
    ) -> None:
        """Begin without reading.

        Args:
            roots: Folders in order of precedence, from `actors.skill_files.folders.skill_roots`.
            channels: Folder of a skill -> channels whose conversations are offered the skill; all other skills are for
                all.
        """
        super().__init__()
        self._channels = {folder.resolve(): each for folder, each in channels.items()}
        self._folders = SkillFolders(roots)
        self._scan = SkillScan()
        self._listing = Listing()
        self._offers: dict[frozenset[Path], tuple[str, tuple[SkillCommands, ...]]] = {}
        """Excluded folders -> instructions, and commands of the remaining skills."""
        self._looked_at: float | None = None
        self._logged: frozenset[str] = frozenset()

    def on_start(self) -> None:
        """Look once, so an operator sees warnings at the start."""
        self._look()

    def handle(self, message: SkillsMessage) -> None:
        """Answer with the content of the folders."""
        self._look(is_now=isinstance(message, ReadSkill))
        match message:
            case PrepareTurn():
                self._contribute(message)
            case ListSkills():
                self.tell(message.reply_to, self._list(message.request_id))
            case ReadSkill():
                self.tell(message.reply_to, self._read(message))
            case DescribeYourself():
                self.tell(message.reply_to, self._description(message.request_id))
            case _:
                not_understood(message)

    def _look(self, *, is_now: bool = False) -> None:
        """Scan the folders, unless scanned a moment ago; `is_now` scans all the same."""
        now = self.monotonic()
        if not is_now and self._looked_at is not None and now - self._looked_at < FRESH_S:
            return
        with self.blocking():
            self._scan = self._folders.scan()
        self._looked_at = now
        self._listing = list_skills(self._scan.skills)
        self._offers.clear()
        for warning in self._scan.warnings:
            if warning not in self._logged:
                log.warning("skill %s", warning)
        self._logged = frozenset(self._scan.warnings)

    def _offer(self, left_out: frozenset[Path]) -> tuple[str, tuple[SkillCommands, ...]]:
        """Instructions, and commands of the skills, without the skills of these folders."""
        if left_out not in self._offers:
            folders = {str(folder) for folder in left_out}
            skills = [skill for skill in self._scan.skills if skill.folder not in folders]
            commands = [SkillCommands(name=each.name, commands=each.commands) for each in skills if not each.hidden]
            self._offers[left_out] = (list_skills(skills).text, tuple(commands))
        return self._offers[left_out]

    def _contribute(self, message: PrepareTurn) -> None:
        places = {message.window.id, *message.tables}
        is_cli = message.window.surface is Surface.CLI
        closed = (folder for folder, channels in self._channels.items() if channels.isdisjoint(places))
        instructions, commands = self._offer(frozenset() if is_cli else frozenset(closed))
        contribution = TurnContribution(
            request_id=message.request_id,
            contributor=str(self.address),
            block="",
            instructions=instructions,
            without_commands="",
            skills=commands,
        )
        self.tell(message.reply_to, contribution)

    def _list(self, request_id: RequestId) -> SkillsListed:
        entries = [self._entry(skill) for skill in self._scan.skills]
        entries += [
            SkillEntry(
                name=each.name,
                description="; ".join(each.changes[:MOST_CHANGES]),
                path=each.folder,
                origin=_origin_of(each.entry) or str(PurePosixPath(each.folder).parent),
                state=SkillState.CHANGED,
            )
            for each in self._scan.changed
        ]
        text = self._listing.text
        return SkillsListed(
            request_id=request_id,
            skills=tuple(entries),
            warnings=self._scan.warnings,
            tokens=tokens_of_text(text) if text else 0,
        )

    def _entry(self, skill: Skill) -> SkillEntry:
        state = SkillState.USED
        if skill.hidden:
            state = SkillState.HIDDEN
        elif any(warning.startswith(f"{skill.path}: ") for warning in self._scan.warnings):
            state = SkillState.FAULTY
        if Path(skill.path).is_relative_to(SHIPPED_SKILLS):
            origin = SHIPPED
        elif entry := self._scan.added.get(skill.name):
            origin = _origin_of(entry)
        else:
            origin = ""
        listed = self._listing.entries.get(skill.name, "")
        return SkillEntry(
            name=skill.name,
            description=skill.description,
            path=skill.path,
            origin=origin or str(PurePosixPath(skill.folder).parent),
            state=state,
            tokens=tokens_of_text(listed) if listed else 0,
        )

    def _read(self, message: ReadSkill) -> SkillRead | Refused:
        """Skill from its present file, perhaps changed since the last look."""
        skill = next((each for each in self._scan.skills if each.name == message.name), None)
        if skill is None:
            return Refused(
                request_id=message.request_id, reason=f"skill {message.name[:64]!r}: there is none of that name"
            )
        try:
            with self.blocking():
                text = read_whole(skill)
        except (OSError, ValueError) as error:
            return Refused(request_id=message.request_id, reason=f"skill {skill.name!r}: {error}")
        return SkillRead(
            request_id=message.request_id, name=skill.name, text=invocation(skill, text, message.arguments)
        )

    def _description(self, request_id: RequestId) -> SelfDescription:
        figures = (("skills", len(self._scan.skills)), ("warnings", len(self._scan.warnings)))
        return SelfDescription(request_id=request_id, about=self.address.kind, figures=figures)


def _origin_of(entry: Entry) -> str:
    """Source of an added skill in words; empty for a skill put there by hand."""
    return " ".join(filter(None, (entry.source, entry.path, entry.commit[:SHOWN_COMMIT])))

"""SkillsActor: the list of skills, at the end of the model's instructions."""

from __future__ import annotations

import logging
from pathlib import Path

from actors.kernel import Actor, not_understood
from actors.skill_files.folders import Found, SkillFolders, read_whole
from domain.turn.skill import available_skills, invocation
from messages.base import RequestId
from messages.skills import ListSkills, ReadSkill, SkillEntry, SkillRead, SkillsListed, SkillsMessage
from messages.socket import Refused
from messages.status import DescribeYourself, SelfDescription
from messages.turn import PrepareTurn, SkillCommands, TurnContribution

log = logging.getLogger(__name__)

FRESH_S = 3.0
"""Age up to which a look at the folders serves every turn."""


class SkillsActor(Actor):
    """Contributes the list of skills to every turn, as the folders have it at that time.

    Owns: nothing; it reads the skill folders, which people and other programs may change at any time.
    Asks: no actor.
    Crashes on: its own faults; a folder or file that cannot be read is a warning, logged once.
    """

    def __init__(self, *, roots: tuple[Path, ...]) -> None:
        """Nothing is read yet.

        Args:
            roots: Where to look, in order of precedence; `actors.skill_files.folders.skill_roots` gives them.
        """
        super().__init__()
        self._folders = SkillFolders(roots)
        self._found = Found()
        self._instructions = ""
        self._commands: tuple[SkillCommands, ...] = ()
        self._looked_at: float | None = None
        self._logged: frozenset[str] = frozenset()

    def on_start(self) -> None:
        """Look once, so that an operator sees warnings at the start."""
        self._look()

    def handle(self, message: SkillsMessage) -> None:
        """Answer with the content of the folders."""
        self._look()
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

    def _look(self) -> None:
        """Scan the folders, unless that was done a moment ago."""
        now = self.monotonic()
        if self._looked_at is not None and now - self._looked_at < FRESH_S:
            return
        with self.blocking():
            self._found = self._folders.scan()
        self._looked_at = now
        self._instructions = available_skills(self._found.skills)
        self._commands = tuple(
            SkillCommands(name=skill.name, commands=skill.commands) for skill in self._found.skills if not skill.hidden
        )
        for warning in self._found.warnings:
            if warning not in self._logged:
                log.warning("skill %s", warning)
        self._logged = frozenset(self._found.warnings)

    def _contribute(self, message: PrepareTurn) -> None:
        contribution = TurnContribution(
            request_id=message.request_id,
            contributor=str(self.address),
            block="",
            instructions=self._instructions,
            without_commands="",
            skills=self._commands,
        )
        self.tell(message.reply_to, contribution)

    def _list(self, request_id: RequestId) -> SkillsListed:
        entries = [
            SkillEntry(name=skill.name, description=skill.description, path=skill.path) for skill in self._found.skills
        ]
        return SkillsListed(request_id=request_id, skills=tuple(entries), warnings=self._found.warnings)

    def _read(self, message: ReadSkill) -> SkillRead | Refused:
        """The skill as its file is now, which may have changed since the last look."""
        skill = next((each for each in self._found.skills if each.name == message.name), None)
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
        figures = (("skills", len(self._found.skills)), ("warnings", len(self._found.warnings)))
        return SelfDescription(request_id=request_id, about=self.address.kind, figures=figures)

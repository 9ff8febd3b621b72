"""Protocol of SkillsActor, which knows what is written in the skill folders; it is a contributor to turns, too."""

from __future__ import annotations

from messages.base import Address, Message, RequestId, Value, make_ready
from messages.status import DescribeYourself
from messages.turn import PrepareTurn

SKILLS = Address("skills")


class SkillEntry(Value, frozen=True, kw_only=True, gc=False):
    """One usable skill."""

    name: str
    description: str
    path: str
    """Of its SKILL.md, absolute; the same inside the sandbox."""


class ListSkills(Message, frozen=True, kw_only=True, gc=False):
    """List the skills with what is wrong with their files; answered by `SkillsListed`."""

    request_id: RequestId
    reply_to: Address


class SkillsListed(Message, frozen=True, kw_only=True, gc=False):
    """The skills as they are now."""

    request_id: RequestId
    skills: tuple[SkillEntry, ...]
    """In the order in which they were found: of two with one name the first is used."""
    warnings: tuple[str, ...]
    """Each names a file and the rule that it breaks."""


class ReadSkill(Message, frozen=True, kw_only=True, gc=False):
    """Give what a person's call of a skill puts into their turn; answered by `SkillRead` or `Refused`."""

    request_id: RequestId
    reply_to: Address
    name: str
    arguments: str = ""
    """Whatever they added; may be empty."""


class SkillRead(Message, frozen=True, kw_only=True, gc=False):
    """A skill as a turn takes it."""

    request_id: RequestId
    name: str
    text: str
    """The file's body with its place, then the arguments."""


SkillsMessage = PrepareTurn | ListSkills | ReadSkill | DescribeYourself
SkillsReply = SkillsListed | SkillRead
make_ready(__name__)

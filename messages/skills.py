"""Protocol of SkillsActor, which knows what is written in the skill folders; it is a contributor to turns, too."""

from __future__ import annotations

from enum import Enum

from messages.base import Address, Message, RequestId, Value, make_ready
from messages.status import DescribeYourself
from messages.turn import PrepareTurn

SKILLS = Address("skills")


class SkillState(Enum):
    """Standing of a skill."""

    USED = "used"
    HIDDEN = "hidden"
    """Not in the model's list; people may call the skill."""
    CHANGED = "changed"
    """Not used: the files are not the accepted ones."""
    FAULTY = "finding"
    """Used, with a fault in its file."""


class SkillEntry(Value, frozen=True, kw_only=True, gc=False):
    """One skill."""

    name: str
    description: str
    path: str
    """Of its SKILL.md, absolute, the same inside the sandbox; of a changed skill, its folder."""
    origin: str = ""
    """`shipped`; folder, archive or address of an added skill; for all others the folder in which the skill lies."""
    state: SkillState = SkillState.USED
    tokens: int = 0
    """Estimated tokens of the skill in each request."""


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
    tokens: int = 0
    """Estimated tokens of all skills in each request, with the words about their use."""


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

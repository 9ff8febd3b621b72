"""Protocol of SkillsActor, the owner of the skill folders' contents and a contributor to turns."""

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
    """Not used: the files differ from the accepted files."""
    FAULTY = "finding"
    """In use, with a fault in the skill's file."""


class SkillEntry(Value, frozen=True, kw_only=True, gc=False):
    """A skill."""

    name: str
    description: str
    path: str
    """Absolute path of the skill's SKILL.md, equal inside the sandbox; of a changed skill, the folder."""
    origin: str = ""
    """`shipped`; folder, archive or address of an added skill; otherwise the skill's parent folder."""
    state: SkillState = SkillState.USED
    tokens: int = 0
    """Estimated tokens of the skill in each request."""


class ListSkills(Message, frozen=True, kw_only=True, gc=False):
    """List the skills with the faults in their files; answered by `SkillsListed`."""

    request_id: RequestId
    reply_to: Address


class SkillsListed(Message, frozen=True, kw_only=True, gc=False):
    """The skills at present."""

    request_id: RequestId
    skills: tuple[SkillEntry, ...]
    """In the order of discovery: of two skills with the same name the first is used."""
    warnings: tuple[str, ...]
    """Each names a file and the broken rule."""
    tokens: int = 0
    """Estimated tokens of all skills in each request, with the words about their use."""


class ReadSkill(Message, frozen=True, kw_only=True, gc=False):
    """Give the text of a skill that a person calls in a turn; answered by `SkillRead` or `Refused`."""

    request_id: RequestId
    reply_to: Address
    name: str
    arguments: str = ""
    """The person's words after the skill's name; may be empty."""


class SkillRead(Message, frozen=True, kw_only=True, gc=False):
    """A skill's text for a turn."""

    request_id: RequestId
    name: str
    text: str
    """The file's body with its place, then the arguments."""


SkillsMessage = PrepareTurn | ListSkills | ReadSkill | DescribeYourself
SkillsReply = SkillsListed | SkillRead
make_ready(__name__)

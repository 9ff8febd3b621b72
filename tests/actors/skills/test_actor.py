from __future__ import annotations

from pathlib import Path

import pytest

from actors.kernel import ActorSpec, ActorSystem, Edge, ManualClock
from actors.part import SHIPPED_SKILLS
from actors.skill_files.folders import LONGEST_READ_BYTES
from actors.skills.actor import FRESH_S, SkillsActor
from domain.text.token_estimate import tokens_of_text
from messages.base import Address, Message, RequestId, Surface, TurnId, Window
from messages.skills import ListSkills, ReadSkill, SkillRead, SkillsListed, SkillState
from messages.socket import Refused
from messages.status import DescribeYourself, SelfDescription
from messages.turn import PrepareTurn, TurnContribution
from tests.actors.skill_files.test_folders import write
from tests.actors.skill_files.test_installed import record

SKILLS = Address("skills")
WINDOW = Window(surface=Surface.DISCORD_CHANNEL, id="100000000000000001")


class Asker:
    """Asks the actor and gives its answers."""

    def __init__(self, system: ActorSystem, *roots: Path) -> None:
        self._system = system
        self._edge: Edge = system.edge("test")
        system.register(ActorSpec("skills", lambda _key: SkillsActor(roots=roots), core=True))
        system.start()
        system.run()

    def instructions(self) -> str:
        message = PrepareTurn(
            request_id=RequestId("r"),
            reply_to=self._edge.address,
            window=WINDOW,
            turn_id=TurnId("t"),
            author_id="1",
            author_name="Alice",
            text="hello",
            visible=(),
        )
        answer = self.ask(message)
        assert isinstance(answer, TurnContribution)
        assert (answer.request_id, answer.contributor, answer.block) == ("r", "skills", "")
        return answer.instructions

    def ask(self, message: Message) -> Message:
        self._system.tell(SKILLS, message)
        self._system.run()
        return self._edge.receive(0)

    def read(self, name: str, arguments: str = "") -> Message:
        return self.ask(ReadSkill(request_id=RequestId("r"), reply_to=self.address, name=name, arguments=arguments))

    @property
    def address(self) -> Address:
        return self._edge.address


@pytest.mark.req("S0-92", "S0-98h")
def test_every_turn_is_told_of_the_skills_but_not_of_what_is_in_them(system: ActorSystem, tmp_path: Path) -> None:
    path = write(tmp_path / "tea", "Makes tea.")

    instructions = Asker(system, tmp_path).instructions()

    assert f"# Makes tea. ({path})\n" in instructions
    assert "Do it." not in instructions


def test_without_skills_nothing_is_contributed(system: ActorSystem, tmp_path: Path) -> None:
    assert Asker(system, tmp_path).instructions() == ""


def test_a_new_or_edited_skill_is_told_of_without_a_restart_and_the_same_otherwise(
    system: ActorSystem, clock: ManualClock, tmp_path: Path
) -> None:
    write(tmp_path / "tea", "Old.")
    asker = Asker(system, tmp_path)
    before = asker.instructions()
    write(tmp_path / "tea", "Newer.")
    write(tmp_path / "coffee")

    assert asker.instructions() == before  # a look was taken a moment ago
    clock.advance(FRESH_S)
    after = asker.instructions()
    assert "Newer." in after
    assert "coffee" in after
    clock.advance(FRESH_S)
    assert asker.instructions() == after


def test_a_warning_is_logged_once_and_again_when_it_came_back(
    system: ActorSystem, clock: ManualClock, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    bad = tmp_path / "bad" / "SKILL.md"
    write(tmp_path / "bad", "''")
    asker = Asker(system, tmp_path)
    for _ in range(3):
        clock.advance(FRESH_S)
        asker.instructions()
    assert [record.getMessage() for record in caplog.records] == [
        f"skill {bad}: description '': is required, so the skill is not used"
    ]

    for description in ("Mended.", "''"):
        write(tmp_path / "bad", description)
        clock.advance(FRESH_S)
        asker.instructions()
    assert len(caplog.records) == 2


def test_the_list_holds_the_skills_and_the_warnings(system: ActorSystem, tmp_path: Path) -> None:
    path = write(tmp_path / "tea", "Makes tea.", name="Tea")
    asker = Asker(system, tmp_path)

    listed = asker.ask(ListSkills(request_id=RequestId("r"), reply_to=asker.address))

    assert isinstance(listed, SkillsListed)
    (entry,) = listed.skills
    assert (entry.name, entry.description, entry.path) == ("Tea", "Makes tea.", str(path))
    assert (entry.origin, entry.state) == (str(tmp_path), SkillState.FAULTY)
    assert len(listed.warnings) == 2
    assert all(warning.startswith(f"{path}: name 'Tea': must ") for warning in listed.warnings)


@pytest.mark.req("X-268")
def test_each_skill_is_listed_with_origin_state_and_its_share_of_the_prompt(
    system: ActorSystem, tmp_path: Path
) -> None:
    own, added = tmp_path / "own", tmp_path / "data"
    write(own / "coffee", "Makes coffee.")
    hidden = write(own / "hidden", "Hides.")
    hidden.write_text(hidden.read_text().replace("---\nDo", "disable-model-invocation: true\n---\nDo"))
    for name in ("tea", "mate"):
        write(added / name)
    record(added, "tea", "mate")
    (added / "mate" / "x.sh").touch()
    asker = Asker(system, SHIPPED_SKILLS / "reminders", own, added)

    listed = asker.ask(ListSkills(request_id=RequestId("r"), reply_to=asker.address))

    assert isinstance(listed, SkillsListed)
    rows = {each.name: (each.state.value, each.origin, each.tokens > 0) for each in listed.skills}
    assert rows == {
        "reminders": ("used", "shipped", True),
        "coffee": ("used", str(own), True),
        "hidden": ("hidden", str(own), False),
        "tea": ("used", "https://example.org/tea", True),
        "mate": ("changed", "https://example.org/tea", False),
    }
    text = asker.instructions()
    assert "mate" not in text
    share = sum(each.tokens for each in listed.skills)
    assert share < listed.tokens == tokens_of_text(text) < share + 120
    assert [each.description for each in listed.skills if each.name == "mate"] == ["x.sh: is new"]


@pytest.mark.req("X-267")
def test_a_changed_skill_is_told_at_the_start_offered_to_nobody_and_read_by_nobody(
    system: ActorSystem, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    write(tmp_path / "tea")
    record(tmp_path, "tea")
    asker = Asker(system, tmp_path)
    assert "tea" in asker.instructions()
    (tmp_path / "tea" / "SKILL.md").write_text("---\nname: tea\ndescription: Evil.\n---\n")

    told = asker.read("tea")

    assert isinstance(told, Refused), "a moment after a look, too"
    assert asker.instructions() == ""
    assert [line.getMessage() for line in caplog.records] == [
        f"skill {tmp_path / 'tea'}: is not used, because it differs from the accepted files: "
        "SKILL.md: has changed, from 47 to 37 bytes"
    ]


def test_a_skill_is_read_as_its_file_is_now_with_what_was_added(system: ActorSystem, tmp_path: Path) -> None:
    write(tmp_path / "tea")
    asker = Asker(system, tmp_path)
    asker.instructions()
    path = write(tmp_path / "tea", "Changed since.")
    path.write_text(path.read_text() + "Boil {baseDir}.\n")

    told = asker.read("tea", "two cups")

    assert isinstance(told, SkillRead)
    assert told.text == (
        f'<skill name="tea" location="{path}">\n'
        f"Paths are relative to {path.parent}.\n\n"
        f"Do it.\nBoil {path.parent}.\n</skill>\n\nUser: two cups"
    )


def test_a_skill_that_is_not_there_or_no_longer_readable_is_refused(system: ActorSystem, tmp_path: Path) -> None:
    gone, long, binary = (write(tmp_path / name) for name in ("gone", "long", "binary"))
    asker = Asker(system, tmp_path)
    gone.unlink()
    long.write_text(long.read_text() + "x" * LONGEST_READ_BYTES)
    binary.write_bytes(b"\xff")

    told = [asker.read(name) for name in ("coffee", "gone", "long", "binary")]

    reasons = [answer.reason for answer in told if isinstance(answer, Refused)]
    assert [reason.split(":")[0] for reason in reasons] == [
        "skill 'coffee'",
        "skill 'gone'",
        "skill 'long'",
        "skill 'binary'",
    ]
    assert "more than 65536 bytes" in reasons[2]


def test_the_actor_counts_its_skills(system: ActorSystem, tmp_path: Path) -> None:
    write(tmp_path / "tea")
    asker = Asker(system, tmp_path)

    told = asker.ask(DescribeYourself(request_id=RequestId("r"), reply_to=asker.address))

    assert told == SelfDescription(request_id=RequestId("r"), about="skills", figures=(("skills", 1), ("warnings", 0)))

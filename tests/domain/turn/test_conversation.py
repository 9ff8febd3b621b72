"""Conversations from logs, and their requests."""

from __future__ import annotations

from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st

from domain.log.event import Event, Kind, event
from domain.log.metadata import MetaValue
from domain.turn.conversation import SHOWN_KEPT, Conversation, fold_events, rebuild
from domain.turn.skill import Skill, invocation
from domain.turn.turn import TurnState
from messages.base import TurnId
from messages.model import ChatMessage, ImageFile

AT = datetime(2026, 1, 30, 14, 23, tzinfo=UTC)


def question(name: str, text: str = "words", message_id: int = 1) -> Event:
    """A person's event."""
    return event(name, AT, Kind.USER, text, {"author": "Alice", "author_id": "7", "message_id": str(message_id)})


def of_turn(kind: Kind, name: str, turn: str, text: str = "", **meta: MetaValue) -> Event:
    """An event that belongs to a turn."""
    return event(name, AT, kind, text, {"turn": turn, **meta})


ROUND = [
    question("u1"),
    of_turn(Kind.AGENT, "a1", "u1", "looking", final=False),
    of_turn(Kind.TOOL_CALL, "c1", "u1", "{}", call_id="1", tool="bash"),
    of_turn(Kind.TOOL_RESULT, "r1", "u1", "found", call_id="1", tool="bash"),
    of_turn(Kind.AGENT, "a2", "u1", "done", final=True),
    of_turn(Kind.DELIVERY, "d1", "u1", event="a2"),
]


def test_a_turn_is_open_until_its_final_answer() -> None:
    for length in range(1, 5):
        assert [turn.id for turn in rebuild(ROUND[:length], 1000).open_turns()] == ["u1"]
    assert rebuild(ROUND[:5], 1000).open_turns() == []
    assert rebuild(ROUND[:5], 1000).turn(TurnId("u1")).state is TurnState.ANSWERED


def test_a_final_answer_is_owed_until_it_was_delivered() -> None:
    assert [debt.text for debt in rebuild(ROUND[:5], 1000).debts()] == ["done"]
    assert rebuild(ROUND, 1000).debts() == []


def test_a_notice_is_owed_like_an_answer() -> None:
    failed = of_turn(Kind.SYSTEM, "s1", "u1", "sorry", what="failed", notice=True)
    conversation = rebuild([question("u1"), failed], 1000)
    assert [debt.text for debt in conversation.debts()] == ["sorry"]
    assert conversation.turn(TurnId("u1")).state is TurnState.FAILED


def test_a_call_without_a_result_is_known() -> None:
    turn = rebuild(ROUND[:3], 1000).turn(TurnId("u1"))
    assert list(turn.unanswered_calls) == ["1"]
    assert not rebuild(ROUND[:4], 1000).turn(TurnId("u1")).unanswered_calls


def test_the_request_shows_calls_and_results_in_the_models_own_form() -> None:
    request = rebuild(ROUND, 1000).request(TurnId("u1"))
    assert [(message.role.value, len(message.tool_calls)) for message in request] == [
        ("user", 0),
        ("assistant", 1),
        ("tool", 0),
        ("assistant", 0),
    ]
    assert request[1].text == "looking"


def test_attachments_are_named_below_the_text() -> None:
    files: MetaValue = [{"filename": "a.png", "size": 12, "url": "http://127.0.0.1/a.png"}]
    conversation = rebuild([event("u1", AT, Kind.USER, "see", {"author": "A", "attachments": files})], 1000)
    (request,) = conversation.request(TurnId("u1"))
    assert request.text.endswith("\nsee\n[attachment: a.png, 12 bytes, http://127.0.0.1/a.png]")


def test_events_of_turns_that_are_not_known_change_nothing() -> None:
    conversation = rebuild(ROUND[1:4], 1000)
    assert (conversation.open_turns(), conversation.debts()) == ([], [])


@given(st.lists(st.integers(1, 300), min_size=1, max_size=30), st.integers(10, 200))
def test_a_rebuilt_conversation_asks_exactly_what_the_living_one_asked(sizes: list[int], limit_tokens: int) -> None:
    living, log = Conversation(limit_tokens), list[Event]()
    for number, size in enumerate(sizes):
        log.append(question(f"u{number}", "x" * size, number))
        living.add(log[-1])
        request = living.request(TurnId(f"u{number}"))
        assert rebuild(log, limit_tokens).request(TurnId(f"u{number}")) == request
        log.append(of_turn(Kind.AGENT, f"a{number}", f"u{number}", "y" * size))
        living.add(log[-1])


@given(st.lists(st.integers(1, 300), min_size=2, max_size=30), st.integers(50, 200))
def test_what_is_shown_fits_or_is_the_newest_turn_alone(sizes: list[int], limit_tokens: int) -> None:
    conversation = Conversation(limit_tokens)
    for number, size in enumerate(sizes):
        conversation.add(question(f"u{number}", "x" * size, number))
        request = conversation.request(TurnId(f"u{number}"))
        assert len(request) == 1 or sum(len(message.text) for message in request) <= limit_tokens * 4
        conversation.add(of_turn(Kind.AGENT, f"a{number}", f"u{number}", "y" * size))


def with_image(number: int) -> Event:
    """A message that came with an image, whatever was said."""
    path = f"attachments/{number}/a.png"
    file: MetaValue = {"filename": "a.png", "size": 9, "kind": "image", "type": "image/png", "path": path}
    return event(f"u{number}", AT, Kind.USER, "see", {"author": "A", "attachments": [file]})


def test_an_image_is_shown_with_its_message() -> None:
    (request,) = rebuild([with_image(1)], 1000).request(TurnId("u1"))
    assert request.images == (ImageFile(path="attachments/1/a.png", media_type="image/png"),)
    assert request.text.endswith("\nsee\n[attachment: a.png, 9 bytes, image/png, saved as attachments/1/a.png]")


def test_requests_with_images_share_their_prefix_but_for_one_in_a_few() -> None:
    conversation = Conversation(100_000)
    before: tuple[ChatMessage, ...] = ()
    changes, most = 0, 0
    for number in range(20):
        conversation.add(with_image(number))
        request = conversation.request(TurnId(f"u{number}"))
        changes += request[: len(before)] != before
        most = max(most, sum(len(message.images) for message in request))
        assert request[-1].images
        before = request
    assert (changes, most) == (5, 6)
    assert rebuild([with_image(number) for number in range(20)], 100_000).request(TurnId("u19")) == before


ACTS = st.lists(st.tuples(st.sampled_from(["say", "overhear", "answer"]), st.integers(1, 300)), max_size=40)


@given(ACTS, st.integers(20, 200))
def test_overheard_messages_change_nothing_in_that(acts: list[tuple[str, int]], limit_tokens: int) -> None:
    living, log = Conversation(limit_tokens, forget_every=3), list[Event]()
    for number, (act, size) in enumerate(acts):
        name = f"e{number}"
        still_open = living.open_turns()
        if act == "answer" and still_open:
            log.append(of_turn(Kind.AGENT, name, still_open[0].id, "y" * size))
        elif act == "overhear":
            meta: dict[str, MetaValue] = {"author": "Bob", "message_id": str(number), "overheard": True}
            log.append(event(name, AT, Kind.USER, "x" * size, meta))
        else:
            log.append(question(name, "x" * size, number))
        living.add(log[-1])
        living.shows("1")
        if still_open := living.open_turns():
            request = living.request(still_open[0].id)
            assert fold_events(Conversation(limit_tokens, forget_every=3), log).request(still_open[0].id) == request


def test_messages_that_nobody_asks_about_are_not_kept_for_ever() -> None:
    conversation = Conversation(100)
    for number in range(1000):
        conversation.add(event(f"e{number}", AT, Kind.USER, "x" * 50, {"author": "Bob", "overheard": True}))
    conversation.add(question("u"))
    assert len(conversation.visible(TurnId("u"))) < 20
    assert not conversation.open_turns()[1:]


def test_a_message_that_joins_a_turn_stands_where_it_joined() -> None:
    log = [
        *ROUND[:3],
        question("u2", "in blue", 2),
        ROUND[3],
        of_turn(Kind.SYSTEM, "s", "u1", what="joined", message="u2"),
    ]
    conversation = rebuild(log, 1000)
    request = conversation.request(TurnId("u1"))
    assert [message.text.rpartition("\n")[2] for message in request] == ["words", "looking", "found", "in blue"]
    assert [turn.id for turn in conversation.open_turns()] == ["u1"]
    assert conversation.visible(TurnId("u1")) == ("u1", "a1", "u2")
    assert conversation.shows("2")


OWLS = Skill("owls", "About owls.", "/skills/owls/SKILL.md")
TYPED_NONE: dict[str, MetaValue] = {"author": "A", "typed": 0}


def test_only_what_people_wrote_counts_as_an_address_that_was_seen() -> None:
    quote: MetaValue = {"author": "Bot", "text": "https://quoted.example/", "shown": False}
    conversation = rebuild(
        [
            event("u1", AT, Kind.USER, "https://said.example/", {"author": "A", "quote": quote}),
            of_turn(Kind.AGENT, "a1", "u1", "https://answered.example/", final=False),
            of_turn(Kind.TOOL_CALL, "c1", "u1", "https://called.example/", call_id="1", tool="bash"),
            of_turn(Kind.TOOL_RESULT, "r1", "u1", "https://printed.example/", call_id="1", tool="bash"),
            of_turn(Kind.SYSTEM, "s1", "u1", "https://noted.example/", what="failed"),
            event("u2", AT, Kind.USER, "https://overheard.example/", {"author": "B", "overheard": True}),
            event("u3", AT, Kind.USER, "https://typed.example/ https://filed.example/", {"author": "A", "typed": 22}),
            event("u4", AT, Kind.USER, "https://pasted.example/", {"author": "A", "typed": 0}),
            event(
                "u5", AT, Kind.USER, invocation(OWLS, "https://skill.example/", "https://wished.example/"), TYPED_NONE
            ),
        ],
        1000,
    )
    hosts = ("said", "overheard", "quoted", "answered", "called", "printed", "noted", "filed", "pasted", "skill")
    seen = [host for host in (*hosts, "typed", "wished") if f"https://{host}.example/" in conversation.addresses]
    assert seen == ["said", "overheard", "typed", "wished"]


def test_the_newest_messages_that_are_seen_are_kept_in_mind() -> None:
    conversation = Conversation(1_000)
    request = [str(920000000000000000 + number) for number in range(SHOWN_KEPT + 7)]
    for number, message_id in enumerate(request):
        meta: dict[str, MetaValue] = {"event": f"e{number}", "message_ids": [message_id], "open": 0}
        conversation.add(event(f"d{number}", datetime(2026, 1, 30, tzinfo=UTC), Kind.DELIVERY, "", meta))

    is_known = [conversation.has_shown([message_id]) for message_id in request]
    assert is_known == [False] * 7 + [True] * SHOWN_KEPT

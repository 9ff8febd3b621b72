from __future__ import annotations

import pytest

from domain.memory.injection import Memory, inject
from domain.offline.asking import question_of
from domain.offline.memory import EXCERPT_LIMIT_CHARS, MOST_QUOTED, Reminded, Utterance, memories_of, quotes
from domain.offline.model import NOTHING_FOUND, answer
from messages.model import ChatMessage, Role

CAT = Memory("logs/discord-channel/1/a.md", 7, "My cat is called Pixel.")
TEA = Memory("logs/discord-channel/1/a.md", 21, "I like green tea.")


def block(*memories: Memory) -> str:
    return inject(memories, frozenset()).block


def quotes_for(prompt: str, *history: Utterance, memories: tuple[Reminded, ...] = (), asker: str = "Alice") -> str:
    question = question_of(prompt)
    return quotes(question, asker, history, memories) if question else ""


def answer_after(*texts: str, question: str) -> str:
    """The answer in a window where Alice wrote this before, and now asks."""
    messages = []
    for minute, text in enumerate(texts):
        messages.append(ChatMessage(role=Role.USER, text=f"[2026-01-30 14:{minute:02} UTC] Alice:\n{text}"))
        messages.append(ChatMessage(role=Role.ASSISTANT, text="I have read it."))
    asking = ChatMessage(role=Role.USER, text=f"[2026-01-30 15:00 UTC] Bob:\n{question}")
    return answer("", (*messages, asking), ()).text


def test_what_was_said_in_the_window_is_quoted_with_who_and_when(subtests: pytest.Subtests) -> None:
    cases: list[str] = [
        "where is the spare key",
        "Where is the spare key?",
        "where's the spare key",
        "tell me where the spare key is",
        "do you know where the spare key is",
        "do you remember the spare key",
        "what did Alice say about the spare key",
        "remind me where the spare key is",
        "I forgot where the spare key is",
        "where did we put the spare key",
        "who has the spare keys",
        "the spare key?",
    ]
    for question in cases:
        with subtests.test(question=question):
            reply = answer_after("The spare key is under the mat.", "I like tea.", question=question)

            assert "> The spare key is under the mat.\n-# Alice, 2026-01-30 14:00 UTC" in reply
            assert "tea" not in reply


def test_what_does_not_bear_on_it_is_not_quoted(subtests: pytest.Subtests) -> None:
    cases: list[tuple[str, str]] = [
        ("The spare key is under the mat.", "I take the spare key with me"),
        ("The spare key is under the mat.", "where is the piano"),
        ("The piano key is broken.", "where is the spare key"),
        ("Where is the spare key?", "where is the spare key"),
        ("where is the spare key", "where is the spare key"),
        ("tell me about the spare key", "where is the spare key"),
        ("run: echo the spare key", "where is the spare key"),
        ("remind me in 5 minutes to find the spare key", "where is the spare key"),
        ("> The spare key is under the mat.", "where is the spare key"),
        ("The spare key is under the mat.", "what did Carol say about the spare key"),
        ("The spare key is under the mat.", "what did I say about the spare key"),
        ("I live in Berlin.", "how is the weather in Berlin"),
        ("Last time was fun.", "what time is it"),
    ]
    for reply, question in cases:
        with subtests.test(said=reply, question=question):
            assert "\n> " not in answer_after(reply, question=question)


def test_nothing_found_is_said_plainly() -> None:
    assert NOTHING_FOUND in answer_after("I like tea.", question="where is the spare key")
    assert NOTHING_FOUND not in answer_after("I like tea.", question="good morning")


def test_the_newest_comes_first_each_once_and_no_more_than_a_few() -> None:
    reply = answer_after(*(f"The spare key is at place {i}." for i in range(5)), question="where is the spare key")

    assert reply.count("\n> ") == MOST_QUOTED
    assert reply.index("place 4") < reply.index("place 3") < reply.index("place 2")
    assert answer_after("The key is here.", "The key is here.", question="where is the key").count("\n> ") == 1


def test_only_the_line_that_tells_is_quoted_and_in_short() -> None:
    reply = answer_after("Good morning\nThe spare key " + "x" * 500 + "\nBye", question="where is the spare key")

    assert "Good morning" not in reply
    assert len(next(line for line in reply.split("\n") if line.startswith("> "))) == EXCERPT_LIMIT_CHARS + 2


def test_one_person_s_words_are_quoted_where_they_are_asked_for() -> None:
    bob, alice = (Utterance(who, "now", f"The party is at {who}'s.") for who in ("Bob B.", "Alice"))

    assert quotes_for("what did Bob say about the party", bob, alice) == "> The party is at Bob B.'s.\n-# Bob B., now"
    assert quotes_for("what did I say about the party", bob, alice) == "> The party is at Alice's.\n-# Alice, now"


def test_a_memory_is_never_quoted_as_one_person_s_words() -> None:
    memories = memories_of(block(CAT))

    assert quotes_for("what did Bob say about the cat", memories=memories) == ""
    assert quotes_for("what did we say about the cat", memories=memories) != ""


def test_the_window_comes_before_memories_and_the_same_words_once() -> None:
    here = Utterance("Alice", "now", "The cat sleeps.")
    same = Utterance("Alice", "now", CAT.text)

    assert quotes_for("where is the cat", here, memories=memories_of(block(CAT))).split("\n")[::2] == [
        "> The cat sleeps.",
        f"> {CAT.text}",
    ]
    assert quotes_for("where is the cat", same, memories=memories_of(block(CAT))) == f"> {CAT.text}\n-# Alice, now"


def test_the_memories_of_a_request_are_read_as_they_were_injected() -> None:
    assert memories_of(f"{block(CAT, TEA)}\n\nWhat is my cat's name?") == (
        Reminded(CAT.text, CAT.path, CAT.line),
        Reminded(TEA.text, TEA.path, TEA.line),
    )


def test_memories_are_read_behind_another_block_of_the_runtimes() -> None:
    explained = 'INJECTED_CONTEXT_WHOLE_RECORDS\n{"how":"EXPAND","most":2}'
    assert memories_of(f"{explained}\n\n{block(CAT)}\n\nhello") == memories_of(block(CAT)) != ()


def test_where_no_block_is_there_are_no_memories(subtests: pytest.Subtests) -> None:
    cases: list[str] = [
        "",
        "hello",
        "INJECTED_CONTEXT_RELEVANT_MEMORIES",
        "INJECTED_CONTEXT_RELEVANT_MEMORIES\nno json\n\nhello",
    ]
    for text in cases:
        with subtests.test(text=text):
            assert memories_of(text) == ()


def test_a_question_brings_back_what_shares_a_word_with_it_and_says_where_it_stands() -> None:
    reply = quotes_for("What are my cats called?", memories=memories_of(block(TEA, CAT)))
    assert "> My cat is called Pixel.\n-# logs/discord-channel/1/a.md:7" in reply
    assert "tea" not in reply


@pytest.mark.parametrize(
    "excerpt",
    ["… I have read “my cat is Tom” and it is in this…", "That brings to my mind what was said: my cat is Tom"],
)
def test_what_it_said_itself_is_no_memory_worth_quoting(excerpt: str) -> None:
    own = Reminded(excerpt, "logs/a.md", 12)
    reminded = Reminded("my cat is Tom", "logs/a.md", 5)

    assert quotes_for("how is my cat called?", memories=(own, reminded)).count("Tom") == 1


def test_neither_a_statement_nor_a_question_about_something_else_brings_anything_back() -> None:
    memories = memories_of(block(CAT))
    assert quotes_for("My cat is asleep.", memories=memories) == ""
    assert quotes_for("How is the weather?", memories=memories) == ""


def test_the_offline_model_answers_a_question_with_what_it_remembers() -> None:
    prompt = f"{block(CAT)}\n\n[2026-11-22 14:03 UTC] Alice:\nWhat is my cat called?"
    reply = answer("", (ChatMessage(role=Role.USER, text=prompt),), ())
    assert "> My cat is called Pixel." in reply.text

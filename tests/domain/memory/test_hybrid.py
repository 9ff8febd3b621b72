from __future__ import annotations

import math
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.memory.hybrid import (
    ANSWERING,
    ASKING,
    EPISODE_GAP,
    FROM_AFTER,
    FROM_BEFORE,
    FROM_EPISODE,
    FROM_SECOND,
    LENGTH,
    LONG_CHARS,
    MOST,
    NAMED,
    POOL_LEAST,
    SELF,
    WEIGHT_COSINE,
    CandidateRow,
    are_questions,
    is_question,
    name_words,
    names,
    pool_size,
    score_rows,
    starts_episode,
    without_names,
)

NOON = datetime(2026, 5, 8, 12, tzinfo=UTC)


def candidate_row(row: int, cosine: float = 0.0, keyword: float = 0.0, episode: int | None = None) -> CandidateRow:
    """A row without neighbours, in an episode of its own."""
    return CandidateRow(
        row, cosine, keyword, None, None, row if episode is None else episode, is_named=False, is_question=False
    )


def score_of(row: int, candidates: list[CandidateRow]) -> float:
    """Sum of which the similarity is a share."""
    return MOST * next(one.similarity for one in score_rows(candidates) if one.row == row)


def test_a_score_is_made_of_cosine_and_words_each_as_a_share_of_the_best() -> None:
    candidates = [candidate_row(1, cosine=0.8, keyword=3.0), candidate_row(2, cosine=0.4, keyword=6.0)]

    halves = {one.row: (one.meaning, one.words) for one in score_rows(candidates)}

    assert halves[1] == pytest.approx((WEIGHT_COSINE, (1 - WEIGHT_COSINE) / 2))
    assert halves[2] == pytest.approx((WEIGHT_COSINE / 2, 1 - WEIGHT_COSINE))
    assert score_of(1, candidates) == pytest.approx(sum(halves[1]) * (1 + FROM_EPISODE))


def test_a_turn_that_is_best_in_all_has_the_similarity_1_and_none_has_more_or_less_than_0() -> None:
    best = [
        CandidateRow(row, 0.8, 5.0, row - 1, row + 1, 1, is_named=True, is_question=False)._replace(
            is_self=True, chars=2 * LONG_CHARS
        )
        for row in range(1, 6)
    ]
    assert score_of(3, best) == pytest.approx(MOST)
    assert score_of(4, [candidate_row(4)._replace(is_question=True)]) == 0


@pytest.mark.req("X-212")
def test_a_long_turn_gains_over_a_short_one_up_to_a_bound() -> None:
    lengths = [0, 5, 45, LONG_CHARS, 100 * LONG_CHARS]
    candidates = [candidate_row(row, cosine=0.5)._replace(chars=chars) for row, chars in enumerate(lengths)]
    gains = [score_of(row, candidates) - score_of(0, candidates) for row, _ in enumerate(lengths)]
    assert gains == pytest.approx([0, 0, LENGTH / 2, LENGTH, LENGTH], abs=0.001)


@pytest.mark.req("X-212")
def test_a_turn_borrows_from_the_second_one_before_and_after_where_the_one_between_is_a_candidate() -> None:
    chain = [candidate_row(row)._replace(before=row - 1, after=row + 1) for row in range(1, 6)]
    chain[0] = chain[0]._replace(cosine=0.5)
    chain[4] = chain[4]._replace(cosine=1.0)
    assert score_of(3, chain) == pytest.approx(WEIGHT_COSINE * FROM_SECOND * 1.5)
    assert score_of(3, [chain[0], chain[2], chain[4]]) == 0


def test_a_turn_borrows_from_the_one_before_and_the_one_after() -> None:
    first = candidate_row(1, cosine=0.5)._replace(after=2)
    middle = candidate_row(2)._replace(before=1, after=3)
    last = candidate_row(3, cosine=1.0)._replace(before=2)

    assert score_of(2, [first, middle, last]) == pytest.approx(WEIGHT_COSINE * (FROM_BEFORE * 0.5 + FROM_AFTER * 1.0))


def test_a_neighbour_that_is_no_candidate_lends_nothing() -> None:
    alone = candidate_row(2, cosine=1.0)._replace(before=1, after=3)
    assert score_of(2, [alone]) == score_of(2, [candidate_row(2, cosine=1.0)])


def test_a_turn_borrows_from_the_best_of_its_episode_only() -> None:
    best, same, other = (
        candidate_row(1, keyword=5.0, episode=7),
        candidate_row(2, episode=7),
        candidate_row(3, episode=8),
    )

    candidates = [best, same, other]

    assert score_of(2, candidates) == pytest.approx(FROM_EPISODE * (1 - WEIGHT_COSINE))
    assert score_of(3, candidates) == 0


def test_a_turn_of_whom_the_question_names_gains_and_one_that_asks_loses() -> None:
    plain = candidate_row(1, cosine=0.5)
    base = score_of(1, [plain])
    assert score_of(1, [plain._replace(is_named=True)]) == pytest.approx(base + NAMED)
    assert score_of(1, [plain._replace(is_named=True, is_self=True)]) == pytest.approx(base + NAMED + SELF)
    assert score_of(1, [plain._replace(is_self=True)]) == base
    assert score_of(1, [plain._replace(is_question=True)]) == pytest.approx(base - ASKING)
    assert score_of(1, [plain._replace(is_agents=True)]) == pytest.approx(base - ANSWERING)


def test_the_best_comes_first_and_of_equals_the_newer_row() -> None:
    candidates = [
        candidate_row(1, cosine=0.2),
        candidate_row(3, cosine=0.1),
        candidate_row(2, cosine=0.2),
        candidate_row(4, cosine=-0.3),
    ]
    assert [one.row for one in score_rows(candidates)] == [2, 1, 3, 4]


def test_unknown_and_negative_cosines_count_as_none() -> None:
    candidates = [
        candidate_row(1, cosine=math.nan, keyword=1.0),
        candidate_row(2, cosine=-0.5),
        candidate_row(3, cosine=math.nan),
    ]
    scores = {one.row: MOST * one.similarity for one in score_rows(candidates)}
    assert scores[1] == pytest.approx((1 - WEIGHT_COSINE) * (1 + FROM_EPISODE))
    assert scores[2] == scores[3] == 0


def test_nothing_found_is_nothing_scored() -> None:
    assert score_rows([]) == []


def test_a_row_that_occurs_twice_is_refused() -> None:
    with pytest.raises(ValueError, match="each row must occur once"):
        score_rows([candidate_row(1), candidate_row(1)])


ROWS = st.lists(
    st.tuples(st.floats(-1, 1), st.floats(0, 30), st.integers(0, 3), st.booleans(), st.booleans()), max_size=12
)


def window(values: list[tuple[float, float, int, bool, bool]]) -> list[CandidateRow]:
    """Turns of one window, each beside the next."""
    return [
        CandidateRow(
            row, cosine, keyword, row - 1 or None, row + 1 if row < len(values) else None, episode, named, asks
        )
        for row, (cosine, keyword, episode, named, asks) in enumerate(values, 1)
    ]


@given(ROWS, st.randoms())
def test_the_order_does_not_depend_on_the_order_of_the_candidates(values: list, random) -> None:  # type: ignore[no-untyped-def,type-arg]
    candidates = window(values)
    shuffled = random.sample(candidates, len(candidates))
    assert score_rows(shuffled) == score_rows(candidates)


@given(ROWS)
def test_every_candidate_is_scored_once_and_scores_never_rise_along_the_list(
    values: list[tuple[float, float, int, bool, bool]],
) -> None:
    result = score_rows(window(values))
    assert sorted(one.row for one in result) == list(range(1, len(values) + 1))
    assert [one.similarity for one in result] == sorted((one.similarity for one in result), reverse=True)


@given(ROWS)
def test_candidates_that_bear_on_nothing_and_stand_beside_nothing_change_no_score(
    values: list[tuple[float, float, int, bool, bool]],
) -> None:
    candidates = window(values)
    strangers = [candidate_row(row, episode=row) for row in range(100, 110)]
    with_them = {one.row: one.similarity for one in score_rows(candidates + strangers)}
    assert {one.row: one.similarity for one in score_rows(candidates)}.items() <= with_them.items()


def test_the_pool_is_what_the_block_has_room_for() -> None:
    assert pool_size([10] * 1000, 400) == 40


def test_the_pool_never_has_fewer_than_its_least_number_of_rows() -> None:
    assert pool_size([1000] * 100, 4000) == POOL_LEAST
    assert pool_size([1000] * 7, 4000) == 7
    assert pool_size([], 4000) == 0


def test_sizes_beyond_the_cut_are_not_asked_for() -> None:
    sizes = iter([1000] * 100)
    assert pool_size(sizes, 4000) == POOL_LEAST
    assert len(list(sizes)) == 100 - POOL_LEAST - 1


def test_an_episode_ends_with_a_long_silence() -> None:
    assert starts_episode(None, NOON)
    assert not starts_episode(NOON, NOON + EPISODE_GAP)
    assert starts_episode(NOON, NOON + EPISODE_GAP + timedelta(seconds=1))


def test_a_question_names_an_author_by_a_whole_word_of_the_name(subtests: pytest.Subtests) -> None:
    cases: list[tuple[str, str, bool]] = [
        ("What did Bob's dog eat?", "Bob Smith", True),
        ("what did BOB eat", "bob", True),
        ("What did José eat?", "Jose", True),
        ("What did Bobby eat?", "Bob", False),
        ("What is a plan?", "A", False),
        ("What did he eat?", "", False),
    ]
    for question, author, expected in cases:
        with subtests.test(question=question, author=author, expected=expected):
            assert names(question, author) is expected


def test_a_turn_asks_when_it_ends_so(subtests: pytest.Subtests) -> None:
    cases: list[tuple[str, bool]] = [("Why? ", True), ("なぜ？", True), ("Why? Because.", False), ("", False)]
    for text, expected in cases:
        with subtests.test(text=text, expected=expected):
            assert is_question(text) is expected
            assert are_questions([text, "no", text]) == [expected, False, expected]


def test_a_question_is_embedded_without_the_names_of_authors() -> None:
    known = name_words("Alice B. Müller") | name_words("田中") | name_words("dr_who42")
    failures = [
        (question, candidate_row)
        for question, wanted in (
            ("What are Alice's hobbies?", "What are hobbies?"),
            ("what did alice say about Müller\u2019s trip", "what did say about trip"),
            ("Where did muller go in Malice?", "Where did go in Malice?"),
            ("Does B like plan B?", "Does B like plan B?"),
            ("Is dr_who42 ill?", "Is ill?"),
            ("What does Bob like?", "What does Bob like?"),
            ("Who is Alice?", "Who is Alice?"),
            ("", ""),
        )
        if (candidate_row := without_names(question, known)) != wanted
    ]
    assert not failures

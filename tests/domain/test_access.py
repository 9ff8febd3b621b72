from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from domain.access import Access, depends_on_roles, may

IDS = st.sampled_from(["1", "2", "3", "4"])
SETS = st.frozensets(IDS)


def test_a_listed_user_is_heard_whatever_their_roles() -> None:
    assert may(Access(users=frozenset({"1"})), user_id="1", role_ids=())


def test_a_holder_of_a_listed_role_is_heard() -> None:
    assert may(Access(users=frozenset(), roles=frozenset({"9"})), user_id="1", role_ids=["8", "9"])


def test_a_role_id_does_not_make_a_user_of_the_same_number_heard() -> None:
    access = Access(users=frozenset(), roles=frozenset({"1"}))
    assert not may(access, user_id="1", role_ids=["2"])


@given(user=IDS, roles=SETS)
def test_empty_lists_hear_nobody(user: str, roles: frozenset[str]) -> None:
    assert not may(Access(users=frozenset()), user_id=user, role_ids=roles)


@given(user=IDS, roles=SETS)
def test_a_star_hears_everybody(user: str, roles: frozenset[str]) -> None:
    assert may(Access(users=frozenset({"*"})), user_id=user, role_ids=roles)


def test_a_star_among_the_roles_means_nothing() -> None:
    assert not may(Access(users=frozenset(), roles=frozenset({"*"})), user_id="1", role_ids=["2"])


@given(users=SETS, allowed=SETS, user=IDS, held=SETS)
def test_roles_are_only_asked_for_when_they_can_change_the_answer(
    users: frozenset[str], allowed: frozenset[str], user: str, held: frozenset[str]
) -> None:
    access = Access(users=users, roles=allowed)
    if not depends_on_roles(access, user):
        assert may(access, user_id=user, role_ids=held) == may(access, user_id=user, role_ids=())

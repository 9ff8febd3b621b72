from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.policy.access import Access, Standing, depends_on_roles, standing

IDS = st.sampled_from(["1", "2", "3", "4"])
SETS = st.frozensets(IDS)
NONE: frozenset[str] = frozenset()


def test_a_listed_user_may_do_everything_whatever_their_roles() -> None:
    assert standing(Access(users=frozenset({"1"})), user_id="1", role_ids=()) is Standing.MEMBER


def test_a_holder_of_a_listed_role_may_do_everything() -> None:
    access = Access(users=NONE, roles=frozenset({"9"}))
    assert standing(access, user_id="1", role_ids=["8", "9"]) is Standing.MEMBER


def test_a_holder_of_a_viewers_role_is_a_viewer() -> None:
    access = Access(users=NONE, roles=frozenset({"9"}), viewer_roles=frozenset({"7"}))
    assert standing(access, user_id="1", role_ids=["7"]) is Standing.VIEWER


def test_whoever_is_both_is_a_member() -> None:
    access = Access(users=frozenset({"1"}), roles=frozenset({"9"}), viewer_roles=frozenset({"7", "9"}))
    assert standing(access, user_id="1", role_ids=["7"]) is Standing.MEMBER
    assert standing(access, user_id="2", role_ids=["9"]) is Standing.MEMBER


def test_a_role_id_does_not_make_a_user_of_the_same_number_heard() -> None:
    access = Access(users=NONE, roles=frozenset({"1"}))
    assert standing(access, user_id="1", role_ids=["2"]) is Standing.NOBODY


@pytest.mark.req("X-53")
@given(user=IDS, roles=SETS)
def test_empty_lists_hear_nobody(user: str, roles: frozenset[str]) -> None:
    assert standing(Access(users=NONE), user_id=user, role_ids=roles) is Standing.NOBODY


@given(user=IDS, roles=SETS)
def test_a_star_hears_everybody(user: str, roles: frozenset[str]) -> None:
    assert standing(Access(users=frozenset({"*"})), user_id=user, role_ids=roles) is Standing.MEMBER


def test_a_star_among_the_roles_means_nothing() -> None:
    access = Access(users=NONE, roles=frozenset({"*"}), viewer_roles=frozenset({"*"}))
    assert standing(access, user_id="1", role_ids=["2"]) is Standing.NOBODY


@given(users=SETS, allowed=SETS, viewers=SETS, user=IDS, roles=SETS)
def test_roles_are_only_asked_for_when_they_can_change_the_answer(
    users: frozenset[str], allowed: frozenset[str], viewers: frozenset[str], user: str, roles: frozenset[str]
) -> None:
    access = Access(users=users, roles=allowed, viewer_roles=viewers)
    if not depends_on_roles(access, user):
        known = standing(access, user_id=user, role_ids=())
        assert standing(access, user_id=user, role_ids=roles) is known

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from actors.cluster.lease import Grant, Lease

LENGTH_S = 10.0


@pytest.mark.req("X-156")
@given(
    offset=st.floats(-1e6, 1e6),
    trips=st.lists(st.tuples(st.floats(0.001, 9.0), st.floats(0.001, 9.0), st.booleans()), min_size=1, max_size=10),
)
def test_the_hosts_lease_ends_before_the_head_counts_it_as_over(
    offset: float, trips: list[tuple[float, float, bool]]
) -> None:
    """Clocks that differ by any constant, answers and calls that take any time, calls that never come."""
    now = 2e6
    lease = Lease(lambda: now + offset)
    grant = Grant(lambda: now, LENGTH_S, slack_s=0.0)
    for answer_s, call_s, arrives in trips:
        reading = lease.read()
        now += answer_s
        grant.hear(reading)
        until = grant.until
        now += call_s
        if arrives:
            lease.renew(until)
        assert not lease.is_valid or lease.left_s <= grant.left_s + 1e-6
    now += grant.left_s
    assert lease.left_s <= 1e-6


def test_a_lease_that_ran_out_is_never_renewed() -> None:
    now = 100.0
    lease = Lease(lambda: now)
    assert (lease.is_valid, lease.has_begun) == (False, False)
    lease.renew(110.0)
    assert lease.is_valid
    lease.renew(105.0)
    assert lease.left_s == 10.0
    now = 110.0
    lease.renew(200.0)
    assert not lease.is_valid, "others may have its windows by now"


def test_nothing_is_granted_before_the_host_has_said_what_its_clock_reads() -> None:
    now = 50.0
    grant = Grant(lambda: now, LENGTH_S, slack_s=1.0)
    assert grant.until == 0
    assert grant.left_s == 0
    grant.hear(7.0)
    assert grant.until == 17.0
    assert grant.left_s == 11.0
    now = 55.0
    grant.hear(6.0)
    assert grant.until == 17.0, "an older reading that came late changes nothing"
    assert grant.left_s == 6.0

"""Attacks that tell by themselves what worked: each is tried at every level, the harmless ones also without any."""

from __future__ import annotations

import os

import pytest

from actors.linux.processes import descendants
from tests.abuse.attacks_on_files import ON_FILES
from tests.abuse.attacks_on_kernel import ON_KERNEL
from tests.abuse.attacks_on_network import ON_NETWORK
from tests.abuse.attacks_on_processes import ON_PROCESSES
from tests.abuse.attacks_on_secrets import ON_SECRETS
from tests.abuse.case import Case
from tests.abuse.ground import Ground, kill_all, revive

GROUPS: dict[str, tuple[Case, ...]] = {
    "secrets": ON_SECRETS,
    "files": ON_FILES,
    "processes": ON_PROCESSES,
    "network": ON_NETWORK,
    "kernel": ON_KERNEL,
}


@pytest.mark.parametrize("group", GROUPS)
def test_the_attack_fails(ground: Ground, group: str, subtests: pytest.Subtests) -> None:
    for case in GROUPS[group]:
        with subtests.test(case=str(case)):
            before = ground.fresh().prize.state()

            got = ground.attack(case.command(ground) + "\necho; echo 'all tried'", timeout_s=case.timeout_s)

            harm = ground.harm(before)
            if ground.bystander.poll() is not None:
                revive(ground)
            assert got.breaches == [], got.text
            assert ground.prize.token not in got.text
            assert harm == [], got.text
            assert got.text.rstrip().endswith("all tried"), f"the attack itself did not get to its end:\n{got.text}"
            assert got.survivors == ()


def test_the_same_attack_works_without_a_sandbox(bare: Ground, subtests: pytest.Subtests) -> None:
    for case in (case for cases in GROUPS.values() for case in cases if case.works_bare):
        with subtests.test(case=str(case)):
            others = descendants(os.getpid())

            got = bare.fresh().attack(case.command(bare) + "\necho; echo 'all tried'", timeout_s=case.timeout_s)

            kill_all(descendants(os.getpid()) - others)
            revive(bare)
            assert got.breaches != [], f"an attack that never works proves nothing:\n{got.text}"


def test_every_attack_has_a_name_of_its_own() -> None:
    names = [str(case) for cases in GROUPS.values() for case in cases]

    assert sorted(names) == sorted(set(names))

"""Seeds of earlier defects, each with the defect: no seed breaks a promise any more.

A seed's script (who says what, what fails when) stays as it is; what the agent does in between is drawn as well, so a
seed is worth most beside its neighbours, of which the campaign runs a thousand.
"""

from __future__ import annotations

from lab.simulation.campaign import find_faults
from lab.simulation.schedule import Schedule

KNOWN_FAULTS = {
    Schedule(2, layers=()): "events that are not synced: what was shown is in no log after a power loss",
    Schedule(3, layers=()): "watermarks that are not read: a message is lost; and a stop word that stops nothing",
    Schedule(5, layers=()): "events that are not synced: a message that was answered is in no log after a power loss",
    Schedule(25, layers=()): "an event that is lost: its message is never logged",
    Schedule(28, layers=()): "the same in a conversation",
    Schedule(
        367, layers=()
    ): "Discord's actor crashes in a turn: the answer is posted anew, and the running message stays for ever",
    Schedule(
        616, layers=()
    ): "a new window and a kill before the running message of the old one is ended: it stays for 50 minutes",
    Schedule(
        1114, layers=()
    ): "messages of a full disk whose notices Discord does not take either: they are not looked for until a restart",
    Schedule(
        2050, layers=()
    ): "a clock that was set back, and Discord's actor crashes in a turn: the running message stays for ever",
    Schedule(
        187, layers=("objects", "facts")
    ): "a file of a turn that a power loss tore is taken for whole: words of a client are lost",
    Schedule(
        161, layers=("workspace", "objects", "facts")
    ): "a file of a turn that a kill left without its sync: a later power loss takes words of a client",
    Schedule(4101): "a host that ends without a lease while a window starts: that end is no crash of the window",
    Schedule(
        7810, variant=1, only=(16, 25, 37)
    ): "our clock is hours ahead of Discord's: after a kill a reminder is looked for in Discord's future and said twice",
    Schedule(
        8212, variant=2, only=(4, 5, 18, 21, 29, 45)
    ): "the notice about an unstored message waits for Discord's history, so the judge did not know of it",
    Schedule(
        18244, only=(2, 3, 32, 34, 35, 43, 45)
    ): "a descriptor opened after the server's restart was stale, as its number was of a stale one",
    Schedule(24188, only=(9, 20, 21, 22, 23, 30, 31, 32)): "a stale descriptor: a stopped message is never logged",
    Schedule(
        24500, variant=1, only=(3, 5, 6, 7, 8, 9, 34)
    ): "a stale descriptor, and a kill before the notice about the message: later messages overtake the message",
    Schedule(37866): "a file that a power loss brought back had a second name, so the agent did not read it",
    Schedule(
        56355, only=(10, 11, 14, 15, 16, 19)
    ): "an earlier log whose torn end a full disk did not let the agent seal: the next opening of the window seals it",
    Schedule(
        59617, only=(*range(8), *range(9, 13), 14, *range(18, 23), *range(24, 34), *range(37, 44), *range(45, 52))
    ): "two ids with the letters of an answer were counted as an answer of the gateway that was kept twice",
    Schedule(
        96443, only=(1, *range(3, 9), 10, *range(12, 22))
    ): "an answer takes the place of a running message whose removal is under way, and goes with it",
    Schedule(13405): "a kill in an end in good order: the simulation itself was killed",
    Schedule(1699, layers=()): "a clock whose timer fires a rounding before its time: an answer is never tried again",
}


def test_seeds_that_found_something_find_it_no_more() -> None:
    broken = find_faults([*KNOWN_FAULTS, Schedule(4, layers=())])
    assert {schedule: (KNOWN_FAULTS.get(schedule, "new"), faults) for schedule, faults in broken.items()} == {}

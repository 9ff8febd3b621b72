"""World of a run: a script played to the agent, life after life, until all is quiet; then the verdict."""

from __future__ import annotations

import gc
import shutil
import tempfile
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, TypeVar

from actors.discord.timing import Timing
from actors.kernel import counted_ids
from lab.simulation import verdict
from lab.simulation.asker import Asker
from lab.simulation.chance import Killed, Trace
from lab.simulation.disk import BROKEN, FULL, QUOTA, READ_ONLY, SimulatedDisk
from lab.simulation.doubles import Outside
from lab.simulation.history import unlike_their_logs
from lab.simulation.life import Life, draw_settings
from lab.simulation.network import Network
from lab.simulation.payloads import PEOPLE
from lab.simulation.schedule import Schedule
from lab.simulation.script import HORIZON_S, LATE, Act, Death, Scene
from lab.simulation.seams import in_place
from lab.simulation.server import DiscordServer, Place
from messages.base import OPERATOR, Address, Message, UserId
from messages.context import StartNewWindow
from messages.curated import CURATED, FlushFacts, RememberFact
from messages.scheduler import SCHEDULER, CreateReminder

T = TypeVar("T")
BEGAN = datetime(2026, 3, 2, 12, 0, 30, tzinfo=UTC)
FIRST, SECOND = 910_000_000_000_000_010, 910_000_000_000_000_011
QUIET_S = Timing().look_every_s + 120.0
"""Seconds without faults before the verdict: until history was searched and answered."""
FLUSHED_S = 60.0
"""Seconds before the verdict at which all staged facts are committed."""
MOST_STEPS = 100_000
"""Steps after which a run counts as endless."""
HISTORY_WAITED_FOR_S = Timing().gap_hold_s - Timing().backoff_limit_s
"""Seconds that an outage of REST may last before messages overtake earlier missed messages: the last awaited call may
fall in the outage's end."""
SESSION_S = 60.0
"""Seconds for which Discord keeps the session of a sleeping machine."""
_FAULTS = {"full": FULL, "quota": QUOTA, "broken": BROKEN, "read-only": READ_ONLY}


class World:
    """A run of a seed, in a separate folder."""

    def __init__(self, schedule: Schedule, root: Path, *, keeps_trace: bool) -> None:
        self.seed = schedule.seed
        self.script = list(schedule.scenes().values())
        self.chance = schedule.chance("run")
        self.trace = Trace(self.now, keeps=keeps_trace)
        self.life: Life | None = None
        self.lives = 0
        self._base = 0.0
        self._offset = timedelta()
        (root / "data").mkdir()
        (root / "graveyard").mkdir()
        self.data = root / "data"
        self.disk = SimulatedDisk(self.data, root / "graveyard", self.chance, self.trace.note)
        self.server = DiscordServer(self.now, int(BEGAN.timestamp() * 1000), tells_nonces=self.chance.happens(0.5))
        self.network = Network(self.server, self.chance, self.trace.note)
        self.outside = Outside(self.chance, self.trace.note, long=self.chance.one_of((0.0, 0.0, 0.3)))
        self.network.on_effect = self.outside.on_effect = self._effect
        self.record = verdict.Record()
        self._ids = counted_ids()
        self._reminders = 0
        self._steps = self._effects_left = self._steps_left = 0
        self._death: Scene | None = None
        self._starts_at = 0.0
        self._asker: Asker | None = None
        self._down_since = 0.0
        self._slowness = 0.0  # probability that a call of the disk stalls
        self.disk.on_call = self._stall
        self._layers = schedule.drawn_layers()
        self.settings = draw_settings(self.chance, self.data, (FIRST, SECOND), self._layers)
        self._places = [
            self.server.add(Place(FIRST)),
            self.server.add(Place(SECOND)),
            self.server.add(Place(FIRST + 80, person=PEOPLE[0])),
        ]

    def now(self) -> float:
        """True seconds since the run began, whatever the agent's clock says."""
        return self._base + (self.life.clock.monotonic() if self.life is not None else 0.0)

    def run(self) -> verdict.Result:
        """Play the script, wait until all is quiet, judge."""
        script = self.script
        calm = Scene(max([HORIZON_S, *(scene.at for scene in script)]) + 1.0, Act.REST_WELL, detail="calm")
        end = calm.at + QUIET_S
        scenes = [*script, calm, Scene(end - FLUSHED_S, Act.FLUSH_FACTS)]
        with in_place(self.seed, self.disk, self.network, lambda: self.life):
            self._begin()
            while self._steps < MOST_STEPS:
                self._steps += 1
                due = scenes[0].at if scenes else end
                if not self._go_on(due):
                    if not scenes:
                        break
                    self._play(scenes.pop(0))
            else:
                self.record.fault("the run never comes to rest")
            if self.life is not None:
                self._end_life(power=False)
        self.record.unsent |= self.network.unsent
        self.record.unsent |= verdict.refused_among(self.record.messages, self.outside.nonces)
        self.record.faults += verdict.of(self.record, self.data, self.server, self.outside)
        return verdict.Result(
            seed=self.seed,
            digest=self.trace.digest,
            steps=self._steps,
            lives=self.lives,
            said=len(self.record.messages),
            counts=self._counts(),
            faults=tuple(self.record.faults),
            lines=tuple(self.trace.lines),
        )

    def _counts(self) -> dict[str, int]:
        counts = {
            "layered": int(bool(self._layers)),
            "chats": self.record.chats_answered,
            "facts": len(self.record.facts_staged),
            "lost hosts": self.record.lost_hosts,
        }
        return {**self.network.harmed, **{name: count for name, count in counts.items() if count}}

    # time

    def _go_on(self, until: float) -> bool:
        """Do the next piece of work before `until`; False when the time is reached."""
        life = self.life
        if life is None:
            if self._starts_at > until:
                self._base = until
                return False
            self._base = max(self._base, self._starts_at)
            self._begin()
            return True
        if self._do_or_die(lambda: self._step(life, until)):
            return False
        self._hear()
        return True

    def _step(self, life: Life, until: float) -> bool:
        """Do the life's next piece of work before `until`; True when the time is reached."""
        if self._steps_left:
            self._steps_left -= 1
            if not self._steps_left:
                raise Killed("between two messages")
        if not life.step():
            wait_s = life.clock.next_due_s
            left_s = until - self.now()
            if wait_s is None or wait_s > left_s:
                life.clock.advance(max(0.0, left_s))
                return True
            life.clock.advance(wait_s)
        return False

    def _begin(self) -> None:
        """Start a life."""
        self.lives += 1
        self.trace.note(f"life {self.lives} begins")
        self.disk.revive()
        at = BEGAN + timedelta(seconds=self._base) + self._offset
        disk = self.disk if "hosts" in self._layers else None
        life = Life(self.settings, (FIRST, SECOND), at, self.outside, self._ids, self._report, self._note_meeting, disk)
        self.life = life
        self._asker = Asker(life.system, self.record, self._ids)
        self._do_or_die(life.start)

    def _do_or_die(self, do: Callable[[], T]) -> T | None:
        """Run a part of the life; None if the life ended meanwhile."""
        try:
            return do()
        except Killed as death:
            self.trace.note(f"dies: {death}")
            self.disk.is_dead = True
        finally:
            if self.disk.is_dead:
                self._die()
        return None

    def _die(self) -> None:
        death, self._death = self._death, None
        down_s = death.seconds if death is not None else 5.0
        self._end_life(power=death is not None and death.with_power)
        self._starts_at = self._base + down_s

    def _end_life(self, *, power: bool) -> None:
        life = self.life
        if life is None:
            return
        self._hear()
        self.disk.is_dead = True
        self._judge_histories(life)
        life.kill()
        self.disk.die()
        self._bury(life)
        if power:
            self.trace.note("the power is out")
            self.disk.lose_power()

    def _judge_histories(self, life: Life) -> None:
        for fault in unlike_their_logs(life.actors(), self.data):
            self.record.fault(f"life {self.lives}: {fault}")

    def _bury(self, life: Life) -> None:
        for crash in life.crashes():
            self.record.fault(crash)
        self.record.lost_hosts += life.lost_hosts
        self._base = self.now()
        self.life = self._asker = None
        self.network.forget()
        self._effects_left = self._steps_left = 0
        del life
        gc.collect()

    def _note_meeting(self) -> None:
        if self.record.met_at is None:
            self.record.met_at = self.now()

    def _report(self, what: str) -> None:
        if not self.disk.is_dead:
            self.trace.note(what)
            self.record.fault(what)

    def _effect(self) -> None:
        """Count an effect of the agent on the world."""
        if self._effects_left:
            self._effects_left -= 1
            if not self._effects_left:
                self.disk.is_dead = True
                raise Killed("right after an effect")

    # scenes

    def _play(self, scene: Scene) -> None:
        self.trace.note(f"-- {scene.act} {scene.detail or scene.number}")
        life = self.life
        match scene.act:
            case Act.SAY | Act.STOP_WORD:
                self._say(scene, "stop" if scene.act is Act.STOP_WORD else f"please look at\nq{scene.number}")
            case Act.OPEN_THREAD:
                number = self.server.snowflake()
                self._places.append(self.server.add(Place(number, parent=(FIRST, SECOND)[scene.place % 2])))
            case Act.NEW_WINDOW if life is not None:
                window = self._places[scene.place % len(self._places)].window
                self._ask(window.address, StartNewWindow, window=window, asked_by=UserId(str(PEOPLE[0])))
            case Act.REMIND if life is not None:
                self._remind()
            case Act.KILL if life is not None:
                self._prepare_death(scene)
            case Act.RESTART if life is not None:
                self._judge_histories(life)
                self._do_or_die(life.stop)
                if self.life is not None:
                    self.disk.die()
                    self._bury(life)
                    self._starts_at = self._base + scene.seconds
            case Act.CHAT if life is not None:
                self._chat(life, scene)
            case Act.NOTE_FACT if life is not None:
                fact = f"fact f{scene.number}"
                self._ask(CURATED, RememberFact, fact, window=OPERATOR, scope="global", text=fact)
            case Act.FLUSH_FACTS if life is not None and self.settings.has_layer("curated"):
                self._ask(CURATED, FlushFacts, window=OPERATOR)
            case Act.KILL_HOST | Act.CUT_HOST | Act.JOIN_HOST if life is not None and life.hosts is not None:
                life.hosts.play(scene)
            case Act.CRASH if life is not None:
                life.crash_next = scene.detail
            case Act.DROP:
                self.network.drop(resumable=scene.with_power)
            case Act.REST_DOWN | Act.REST_SHAKY | Act.REST_WELL:
                self._turn_rest(scene.act)
                if scene.detail == "calm":
                    self._calm()
            case Act.GATEWAY_DOWN | Act.GATEWAY_UP:
                self.network.is_deaf = scene.act is Act.GATEWAY_DOWN
                if self.network.is_deaf:
                    self.network.drop(resumable=self.chance.happens(0.3))
            case Act.DISK_FAULT | Act.DISK_WELL | Act.FILES_STALE | Act.DISK_SLOW | Act.DISK_QUICK:
                self._change_disk(scene)
            case Act.SUSPEND:
                self._play(replace(scene, act=Act.CLOCK_JUMP))
                self.network.break_all(resumable=scene.seconds < SESSION_S)
            case Act.MODEL_SHAKY | Act.MODEL_WELL:
                self.outside.fails = 0.3 if scene.act is Act.MODEL_SHAKY else 0.0
            case Act.EVENTS_SHAKY | Act.EVENTS_WELL:
                self.network.harms_events = scene.act is Act.EVENTS_SHAKY
            case Act.CLOCK_JUMP:
                self._offset += timedelta(seconds=scene.seconds)
                self.record.went_back |= scene.seconds < 0
                if life is not None:
                    life.clock.jump(timedelta(seconds=scene.seconds))
            case _:
                return  # nobody is there for whom it could happen

    def _change_disk(self, scene: Scene) -> None:
        """Have the disk fail, work or slow down from now on, or forget open files."""
        self.record.disk_changes += 1
        if scene.act is Act.FILES_STALE:
            self.disk.grow_stale()
        elif scene.act in (Act.DISK_SLOW, Act.DISK_QUICK):
            self._slowness = 0.05 if scene.act is Act.DISK_SLOW else 0.0
        else:
            self.disk.fault = _FAULTS.get(scene.detail.removeprefix(LATE))
            self.disk.is_late = scene.detail.startswith(LATE)

    def _turn_rest(self, act: Act) -> None:
        """Have calls fail from now on, or work."""
        if act is Act.REST_SHAKY:
            self.network.fails = 0.3
        elif act is Act.REST_DOWN:
            self.network.is_down, self._down_since = True, self.now()
        else:
            if self.network.is_down and self.now() - self._down_since > HISTORY_WAITED_FOR_S:
                self.record.unsent |= self.record.messages.keys() - self.network.received_ids
            self.network.is_down, self.network.fails = False, 0.0

    def _calm(self) -> None:
        """From here on everything works."""
        self.network.is_deaf = self.network.harms_events = False
        self.disk.fault = self.disk.dies_at = self._death = None
        self.outside.fails = 0.0
        self._slowness = self._effects_left = self._steps_left = 0
        if self.life is not None:
            self.life.crash_next = ""
            if self.life.hosts is not None:
                self.life.hosts.join_all()

    def _prepare_death(self, scene: Scene) -> None:
        self._death = scene
        match scene.detail:
            case Death.CALL:
                self.disk.dies_at = self.disk.calls + scene.number
            case Death.EFFECT:
                self._effects_left = scene.number
            case _:
                self._steps_left = scene.number

    def _say(self, scene: Scene, text: str) -> None:
        place = self._places[scene.place % len(self._places)]
        author = place.person or PEOPLE[scene.person]
        if place.person and not self.settings.discord.dms:
            return
        self.record.messages[self.server.say(place, author, text).number] = verdict.PersonMessage(
            number=scene.number, window=place.window, at=self.now()
        )

    def _remind(self) -> None:
        self._reminders += 1
        words, window = f"r{self._reminders}", self._places[self._reminders % 2].window
        self.record.reminders_asked.append(words)
        self._ask(SCHEDULER, CreateReminder, words, window=window, msg=words, in_minutes=1 + self.chance.below(10))

    def _ask(self, to: Address, kind: type[Message], words: str = "", **fields: Any) -> None:
        assert self._asker is not None
        self._asker.ask(to, kind, words, **fields)

    def _chat(self, life: Life, scene: Scene) -> None:
        """Ask the gateway; a whole answer promises a kept turn if no fault came between."""
        unharmed = (self.disk.fault, self.record.disk_changes, life.injected)

        def promise(number: int) -> None:
            self.record.chats_answered += 1
            if unharmed == (None, self.record.disk_changes, life.injected):
                self.record.chats_promised.add(number)

        life.ask_gateway(scene.number, f"chat-{scene.place}", promise, streams=scene.detail == "stream")

    def _stall(self) -> None:
        """Let a call of the disk take time without timers."""
        if self._slowness and self.life is not None and self.chance.happens(self._slowness):
            self.life.clock.stall(self.chance.draw_skewed(0.05, 20.0))

    def _hear(self) -> None:
        """Note confirmations to people."""
        if self._asker is not None:
            self._asker.hear()


def run(schedule: Schedule, *, keeps_trace: bool = False, folder: Path | None = None) -> verdict.Result:
    """Run a schedule; this process belongs to the simulation meanwhile."""
    scratch = Path(tempfile.mkdtemp(prefix="agent-simulation-", dir=folder))
    try:
        return World(schedule, scratch, keeps_trace=keeps_trace).run()
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
        gc.collect()
        gc.freeze()  # caches and modules stay, and need not be looked through at the next death

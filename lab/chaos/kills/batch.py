"""Batch of kills: one data root through many lives of the agent, then a life in peace, and the judgement."""

from __future__ import annotations

import contextlib
import random
import threading
from collections.abc import Callable, Iterable
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path

from actors.kernel import SystemClock
from actors.scheduler.zone import load_zone
from lab.chaos.kills import harms
from lab.chaos.kills.audit import compare_index, count_commands, logs_size, read_deliveries, read_logs
from lab.chaos.kills.clients import Clients
from lab.chaos.kills.ledger import Tally, find_unsettled, judge, judge_reminders
from lab.chaos.kills.nursery import LivingAgent, Nursery
from lab.chaos.kills.report import BatchReport, Kill
from lab.chaos.kills.rows import Act, BeginAnew, Change, Harm, Life, Remind, Say, Talk, Trap, Where, plan_life
from lab.chaos.kills.settings import CONFIG, DATA, Surroundings, write_settings
from lab.chaos.kills.stage import Stage
from lab.chaos.kills.texts import PLAIN
from lab.chaos.kills.word import CALM, LONG_CALM, Word
from lab.loopback_model.server import LoopbackModel
from lab.playground.server import PlaygroundServer

PATIENCE_S = 1800.0
"""Longest wait for the agent's pending work, on a busy machine; a longer wait means a hanging agent."""
ASK_S = 0.05
"""Pause between two status requests about the agent's pending work."""
LOG_LOOK_S = 0.005
LITELLM_SHARE = 0.05
"""Share of batches in which each life asks litellm for the model's listing, a call longer than most lives."""
PEACE_EVERY = 10
"""Kills between two lives in peace; after each such life the index must match the logs."""
CLEAN = 0
BALLAST = "ballast"
WATERMARKS = "watermarks"


class Batch:
    """Runner of one batch."""

    def __init__(
        self, name: str, folder: Path, rows: Iterable[int], server: PlaygroundServer, nursery: Nursery
    ) -> None:
        """Begin without a running agent."""
        self.tally = Tally()
        self.kills: list[Kill] = []
        self.starts_s: list[float] = []
        self.term_s: list[float] = []
        self._name = name
        self._rows = frozenset(rows)
        self._folder = folder
        self._data = folder / DATA
        self._config = folder / CONFIG
        self._server = server
        self._nursery = nursery
        self._choices = random.Random(name)
        self._now = SystemClock().monotonic
        self._clients = Clients(self._data, self._choices)
        self._over = threading.Event()
        """Set when the newest agent is killed."""
        self._reminders: list[str] = []
        self._torn: set[int] = set()
        self._zone = load_zone()

    def run(self, kills: int, tick: Callable[[], object], check: Callable[[], None] = lambda: None) -> None:
        """Kill so often, let everything settle, and judge."""
        self._check = check
        with LoopbackModel(kept_requests=0) as model:
            self._stage = Stage(self._server, model, self._choices, f"batch-{self._name}".replace("/", "-"))
            try:
                around = Surroundings(
                    discord_base=self._server.api_base,
                    gateway_url=self._server.gateway_url,
                    token=self._server.bot_token,
                    channel_id=self._stage.channel_id,
                    model_base=model.api_base,
                )
                write_settings(self._folder, around, asks_litellm=self._choices.random() < LITELLM_SHARE)
                self._play(kills, tick)
            finally:
                self._stage.close()
            self._judge()

    def report(self) -> BatchReport:
        """Account of the batch."""
        return BatchReport(
            name=self._name,
            rows=tuple(sorted(self._rows)),
            tally=self.tally,
            kills=tuple(self.kills),
            starts_s=tuple(self.starts_s),
            term_s=tuple(self.term_s),
        )

    def _play(self, kills: int, tick: Callable[[], object]) -> None:
        """Everything between the first message and the judgement."""
        has_dms = self._open()
        while len(self.kills) < kills:
            before = len(self.kills)
            self._live(plan_life(self._choices, self._rows, has_dms=has_dms), tick)
            if before // PEACE_EVERY < len(self.kills) // PEACE_EVERY and len(self.kills) < kills:
                self._settle()
                compare_index(self._data, self.tally)
        self._settle()

    # lives

    def _open(self) -> bool:
        """Make first contact; return True if the direct messages are known too.

        Messages in a channel before the first contact are outside the bot's duty. A watermark on the disk marks first
        contact.
        """
        agent = self._start()
        if self._await_online(agent) and not self._has_met():
            self.tally.note("faults", "the channel is not met though the agent is online")
        if self._choices.random() < 0.3:  # first contact is all there is
            self._end(agent)
            return False
        for channel_id, user in self._stage.dms:
            self._stage.say_in(channel_id, user, Say(where=Where.DM, wants=PLAIN, body="hello"))
        self._await_answers(agent)
        self._end(agent)
        return True

    def _has_met(self) -> bool:
        """True if the channel has a watermark, or gets a watermark soon."""
        path, ends_at = self._data / WATERMARKS, self._now() + PATIENCE_S
        while not (path.exists() and str(self._stage.channel_id) in path.read_text()):
            if self._now() > ends_at:
                return False
            self._check()
            self._stage.wait(0.02)
        return True

    def _live(self, life: Life, tick: Callable[[], object]) -> None:
        """Run a life as planned; then bury the remains."""
        self._check()
        for act in life.before:
            self._do(act)
        agent = self._start(is_cold=life.is_cold)
        self._arm(agent, life)
        began_at = self._now()
        for delay_s, act in life.during:
            if agent.over.wait(max(0.0, min(delay_s, life.at_most_s) - (self._now() - began_at))):
                break
            if act == Harm(42, 0):
                self._start_second(agent)
            else:
                self._do(act)
        agent.over.wait(max(0.0, life.at_most_s - (self._now() - began_at)))
        self._stage.trap = lambda _occasion: None
        self._thin()
        if life.trap is Trap.TERM:
            self._end(agent, is_busy=True)
            return
        if not agent.over.is_set() and agent.has_ended():
            self.tally.note("faults", f"the agent ended by itself: {self._last_words()}")
        self._kill(agent, life.trap, tick)

    def _kill(self, agent: LivingAgent, trap: Trap, tick: Callable[[], object]) -> None:
        """Send SIGKILL, unless sent already, and note the kill."""
        agent.kill()
        self._bury(agent)
        at_s = round(agent.killed_at_s or 0.0, 3)
        self.kills.append(Kill(life=len(self.kills) + 1, trap=trap.value, at_s=at_s))
        tick()

    def _arm(self, agent: LivingAgent, life: Life) -> None:
        """Have the agent killed at the planned occasion of the life's end."""
        left, lock = life.nth, threading.Lock()

        def on_occasion(occasion: Trap) -> None:
            nonlocal left
            if occasion is life.trap:
                with lock:
                    left -= 1
                if left == 0:
                    agent.kill()

        self._stage.arm()
        self._stage.trap = on_occasion
        if life.trap is Trap.LOG:
            threading.Thread(target=self._watch_logs, args=(agent, on_occasion), daemon=True).start()
        elif life.trap is Trap.ONLINE:
            threading.Thread(target=self._watch_connection, args=(agent, life.after_s), daemon=True).start()

    def _watch_connection(self, agent: LivingAgent, after_s: float) -> None:
        """Kill the agent `after_s` seconds after the agent came online."""
        while not agent.over.is_set():
            with contextlib.suppress(TimeoutError):
                self._server.wait_until_online(timeout_s=0.2)
                agent.over.wait(after_s)
                agent.kill()

    def _watch_logs(self, agent: LivingAgent, on_occasion: Callable[[Trap], None]) -> None:
        """Tell of each growth of the logs, until the agent is dead."""
        size = logs_size(self._data)
        while not agent.over.wait(LOG_LOOK_S):
            try:
                grown = logs_size(self._data)
            except FileNotFoundError:  # a folder went while it was looked at
                continue
            if grown != size:
                size = grown
                on_occasion(Trap.LOG)

    def _settle(self) -> None:
        """Live a life in peace: all pending work is done, and no answer comes twice."""
        self._server.clear_faults()
        harms.calm_events(self._server)
        for channel_id in sorted(self._torn):
            # A torn end is sealed when its window is written to again.
            self._stage.say_in(channel_id, self._stage.people[0], Say(where=Where.OLD, wants=PLAIN, body="after all"))
        agent = self._start()
        if self._await_online(agent):
            self._clients.finish(agent.over)
            self._await_answers(agent)
        self._end(agent)

    def _await_answers(self, agent: LivingAgent) -> None:
        """Return when all is answered and the agent has no pending work, or has long reported no pending work."""
        word, began_at = Word(self._data), self._now()
        last_minute = SystemClock().now() + timedelta(minutes=1)
        while not agent.has_ended():
            calm = word.ask()
            if calm >= CALM and self._is_all_shown():
                return
            if calm >= LONG_CALM and (self._are_reminders_shown() or _is_behind(word.reminders_until, last_minute)):
                return
            if self._now() - began_at > PATIENCE_S:
                self.tally.note("faults", f"after {PATIENCE_S:g} s the agent still owes: {', '.join(word.owed)}")
                return
            self._check()
            self._stage.wait(ASK_S)

    def _is_all_shown(self) -> bool:
        messages = [each for each in self._stage.messages if not (each.is_excused or each.is_deleted)]
        return not find_unsettled(messages, self._stage.shown_so_far()) and self._are_reminders_shown()

    def _are_reminders_shown(self) -> bool:
        text = "\n".join(each.text for each in self._stage.shown_so_far())
        return all(token in text for token in self._reminders)

    def _start(self, *, is_cold: bool = False) -> LivingAgent:
        self._clients.begin_life()
        agent = self._nursery.start(self._config, self._folder / "stderr", is_cold=is_cold)
        self._over = agent.over
        return agent

    def _await_online(self, agent: LivingAgent) -> bool:
        began_at = self._now()
        while self._now() - began_at < PATIENCE_S and not agent.has_ended():
            try:
                self._server.wait_until_online(timeout_s=0.2)
            except TimeoutError:
                continue
            self.starts_s.append(self._now() - began_at)
            return True
        self.tally.note("faults", f"the agent did not come online: {self._last_words()}")
        return False

    def _end(self, agent: LivingAgent, *, is_busy: bool = False) -> None:
        """Send SIGTERM, and check the end."""
        began_at = self._now()
        agent.terminate()
        if not agent.has_ended(PATIENCE_S):
            self.tally.note("faults", f"the agent does not end within {PATIENCE_S:g} s of a SIGTERM")
            agent.kill()
        elif is_busy:
            self.term_s.append(self._now() - began_at)
        code = self._bury(agent)
        # A SIGTERM before the handler is there ends it as the system does.
        if code != CLEAN and not (is_busy and code == -15):
            self.tally.note("faults", f"the agent ended with exit code {code}: {self._last_words()}")

    def _bury(self, agent: LivingAgent) -> int:
        burial = self._nursery.bury(agent)
        for name in burial.left:
            self.tally.note("processes_left", name)
        return burial.code

    # acts

    def _do(self, act: Act) -> None:
        match act:
            case Say():
                self._stage.say(act)
            case BeginAnew():
                self._stage.begin_anew()
            case Remind():
                self._remind(act.minutes)
            case Change():
                self._stage.change(act)
            case Talk():
                self._clients.talk(self._over)
            case Harm():
                self._harm(act)

    def _remind(self, minutes: int) -> None:
        """Add a reminder's line as an editor does."""
        if (self._folder / BALLAST).exists():
            return  # an editor could not save it either
        token = f"rem-{self._choices.getrandbits(48):012x}"
        due = harms.due_minute(SystemClock().now().astimezone(self._zone), minutes)
        self._data.mkdir(exist_ok=True)
        harms.add_reminder(self._data / "reminders.md", token, due)
        self._reminders.append(token)

    def _harm(self, act: Harm) -> None:
        match act.row:
            case 5:
                self._tear(act.variety)
            case 10 | 11 | 12:
                harms.harm_embedder(self._stage, act.row, act.variety)
            case 14:
                harms.harm_model(self._stage, act.variety)
            case 17:
                self._fill()
            case 22:
                harms.harm_index(self._data, act.variety)
            case 36:
                harms.harm_gateway(self._server, act.variety)
            case 37:
                self._server.gateway_faults(duplicate_after_resume=1)
                self._server.drop(1006)
            case 38:
                harms.harm_history(self._server, self._stage.channel_id, act.variety)
            case 49:
                harms.harm_events(self._server, act.variety)
            case 39:
                harms.harm_sending(self._server, act.variety)
            case _:
                raise ValueError(f"row {act.row}: no fault is brought about for it")

    def _tear(self, variety: int) -> None:
        """Leave a torn end in a log, as after a kill in the midst of a write."""
        if harms.tear_log(self._data, self._stage.channel_id, variety):
            self._torn.add(self._stage.channel_id)

    def _fill(self) -> None:
        """Fill the data root's file system, if the data root has a file system of its own."""
        self._clients.is_disk_full = True
        harms.fill_disk(self._folder / BALLAST)

    def _thin(self) -> None:
        (self._folder / BALLAST).unlink(missing_ok=True)

    def _start_second(self, first: LivingAgent) -> None:
        """Start another agent on the same data root; the second must refuse while the first lives and holds it."""
        lock = self._data / "agent.lock"
        if not lock.exists() or lock.read_text().strip() != str(first.pid):
            return
        second = self._nursery.start(self._config, self._folder / "stderr-second")
        ends_at = self._now() + PATIENCE_S
        while not second.has_ended(0.02) and not first.over.is_set() and self._now() < ends_at:
            self._check()
        is_alone = first.over.is_set() or first.has_ended()
        if not second.has_ended():
            if not is_alone:
                self.tally.note("faults", "a second agent runs on the same data root")
            second.kill()
        if self._bury(second) == CLEAN and not is_alone:
            self.tally.note("faults", "a second agent on the same data root ended as if all were well")

    # the end

    def _judge(self) -> None:
        """Compare the messages of people with the shown answers and the logs."""
        own, answered = self.tally, read_deliveries(self._data)
        answers = [
            each if each.replies_to else replace(each, replies_to=answered.get(each.message_id, 0))
            for each in self._stage.bot_messages()
        ]
        logged = read_logs(self._data, own)
        judged = judge(self._stage.messages, answers, logged)
        judge_reminders(judged, self._reminders, answers)
        compare_index(self._data, judged)
        count_commands(self._data, judged)
        self._clients.judge(judged)
        judged.begun_anew = self._stage.begun_anew
        own.add(judged)

    def _last_words(self) -> str:
        path = self._folder / "stderr"
        lines = path.read_text(errors="replace").splitlines() if path.exists() else []
        return " | ".join(lines[-3:])[-500:]


def _is_behind(looked_at: datetime | None, minute: datetime) -> bool:
    """True if no reminder is left, or all were checked since `minute`."""
    return looked_at is None or looked_at > minute

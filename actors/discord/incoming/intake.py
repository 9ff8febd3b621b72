"""What people do on its way into the windows: only ours, only those who are heard, each window's in order."""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Iterable
from typing import Any

import discord

from actors.discord.calls.rest_calls import CallFailedError, CallRefusedError, RestCalls
from actors.discord.incoming.admission import Admission
from actors.discord.incoming.arrival import Admitted, Arrival, guild_id_of, is_speech, user_message
from actors.discord.incoming.unpacking import Unpacked
from actors.discord.incoming.window_map import Place, WindowMap
from actors.discord.seen import Gap, Seen
from domain.policy.access import Access, Standing, depends_on_roles, standing
from messages.base import Address, Message, Window

log = logging.getLogger(__name__)

NOT_HERE = "I do not live in this channel."
NOT_HEARD = "You are not on the list of people that I listen to."
STOPPING = "I am being stopped; please try again later."

Verdict = Admitted | str | Place
"""Where something is for and what its author may do, the reason why it is refused, or `UNKNOWN`."""


class Lane:
    """What waits to be passed on in one channel; whoever holds the lock passes it on."""

    __slots__ = ("lock", "waiting")

    def __init__(self, lock: asyncio.Lock | None = None) -> None:
        self.waiting: deque[Arrival] = deque()
        self.lock = lock or asyncio.Lock()


class Intake:
    """Passes on what people do; lives on the loop and outlives each client.

    A channel's arrivals are passed on at once, in the order in which Discord sent them, unless one of them needs a
    question to Discord (an archived thread, somebody's roles), files came with it, or the channel's missed messages are
    being read. Then all of them wait in the channel's lane.
    """

    def __init__(
        self,
        *,
        window_map: WindowMap,
        access: Access,
        seen: Seen,
        rest: RestCalls,
        admission: Admission,
        unpack: Callable[[discord.Message, Window], Awaitable[Unpacked]],
        tell: Callable[[Address, Message], None],
        reply_to: Address,
    ) -> None:
        self.window_map = window_map
        self.seen = seen
        self._access = access
        self._rest = rest
        self._admission = admission
        self._unpack = unpack
        self._tell = tell
        self._reply_to = reply_to
        self._lanes: dict[str, Lane] = {}
        self._gap: Gap | None = None
        self._is_open = True
        self._tasks: set[asyncio.Task[None]] = set()

    # live events; nothing here may wait, or the order is lost

    def hear(self, message: discord.Message) -> None:
        """Take in a message that just came."""
        channel_id = str(message.channel.id)
        if is_speech(message):
            self.take(self.arrival_of(message))
        self.seen.notice(channel_id, message.id)
        if message.guild is not None:
            self.seen.witness(message.guild.id, message.id)

    def take(self, arrival: Arrival) -> None:
        """Pass on what a person did, now or behind what waits in its lane."""
        if not self._is_open:
            arrival.refuse(STOPPING)
            return
        verdict = self.judge(arrival)
        lane = self._lanes.get(arrival.channel_id)
        if isinstance(verdict, str):
            arrival.refuse(verdict)
        elif lane is not None:
            lane.waiting.append(arrival)
        elif isinstance(verdict, Admitted) and self._gap is None and arrival.prepare is None:
            arrival.accept(verdict)
        else:
            lane = self._lanes[arrival.channel_id] = Lane()
            lane.waiting.append(arrival)
            if self._gap is None:
                self.spawn(self._empty(arrival.channel_id, lane))

    def hold(self) -> None:
        """A new session began: let nothing pass before it is known what was missed.

        What waits already came before the gap: it keeps its lane, and a new one opens behind it.
        """
        if self._gap is None:
            self._gap = self.seen.gap()
            self._lanes = {channel_id: Lane(lane.lock) for channel_id, lane in self._lanes.items()}

    @property
    def gap(self) -> Gap | None:
        """How far everything was read before what is held; None when nothing is held."""
        return self._gap

    def close(self) -> None:
        """Pass on nothing more. What waits is dropped: it is in no log, so the next start reads it."""
        self._is_open = False
        for lane in self._lanes.values():
            while lane.waiting:
                lane.waiting.popleft().refuse(STOPPING)

    # lanes

    def release(self, kept: Iterable[str]) -> None:
        """Let pass what is held, except in the channels `kept`."""
        self._gap = None
        kept = set(kept)
        self.keep(kept)
        for channel_id, lane in self._lanes.items():
            if channel_id not in kept:
                self.spawn(self._empty(channel_id, lane))

    def keep(self, channel_ids: Iterable[str]) -> None:
        """Let nothing pass in these channels before their `replay`."""
        for channel_id in channel_ids:
            self._lanes.setdefault(channel_id, Lane())

    async def replay(self, channel_id: str, missed: AsyncIterator[Arrival]) -> None:
        """Pass on what was missed in a channel that was kept, and what came since, each in its time.

        What is read may hold what came since as well; a command among that is in no history, so the two are merged.

        Raises:
            CallRefusedError, CallFailedError: as `missed` does; what came since is passed on all the same.
        """
        lane = self._lanes.setdefault(channel_id, Lane())
        roles: dict[int, frozenset[str]] = {}
        async with lane.lock:
            self._lanes.setdefault(channel_id, lane)
            try:
                async for arrival in missed:
                    while lane.waiting and lane.waiting[0].number < arrival.number:
                        await self._admit(lane.waiting.popleft(), roles)
                    await self._admit(arrival, roles)
            finally:
                await self._drain(channel_id, lane)

    async def _empty(self, channel_id: str, lane: Lane) -> None:
        async with lane.lock:
            await self._drain(channel_id, lane)

    async def _drain(self, channel_id: str, lane: Lane) -> None:
        """Pass on what waits, oldest first, and take the lane away unless a newer one has its place."""
        while lane.waiting:
            try:
                await self._admit(lane.waiting.popleft(), {})
            except Exception:
                log.exception("something that a person did in channel %s was lost", channel_id)
        if self._lanes.get(channel_id) is lane:
            del self._lanes[channel_id]

    async def _admit(self, arrival: Arrival, roles: dict[int, frozenset[str]]) -> None:
        """Pass on or refuse one arrival, asking Discord for what isn't known.

        Args:
            arrival: Whatever it is.
            roles: User id -> role ids as found so far in one go; added to.
        """
        verdict = self.judge(arrival)
        if verdict is Place.UNKNOWN:
            try:
                verdict = await self._inquire(arrival, roles)
            except CallRefusedError:
                verdict = NOT_HERE
        if isinstance(verdict, Admitted) and arrival.prepare is not None:
            await arrival.prepare()
        if not self._is_open:
            arrival.refuse(STOPPING)
        elif isinstance(verdict, Admitted):
            arrival.accept(verdict)
        else:
            arrival.refuse(str(verdict))

    def arrival_of(self, message: discord.Message) -> Arrival:
        """A message as an arrival; a repeated one is accepted without effect, a refused one is ignored."""
        unpacked: Unpacked | None = None

        async def prepare() -> None:
            nonlocal unpacked
            window = self.window_map.window_of(message.channel)
            if isinstance(window, Window) and self._is_open and not self.seen.has(message.id):
                unpacked = await self._unpack(message, window)

        def accept(admitted: Admitted) -> None:
            window = admitted.window
            if self.seen.is_new(window.address.key, message.id):
                hearing = self._admission.hearing(message, may_run=admitted.standing is Standing.MEMBER)
                audience = self.window_map.audience_of(message.channel)
                self._tell(window.address, user_message(message, window, self._reply_to, audience, hearing, unpacked))

        return Arrival(
            number=message.id,
            channel=message.channel,
            channel_id=str(message.channel.id),
            guild_id=guild_id_of(message),
            author=message.author,
            accept=accept,
            refuse=lambda reason: log.debug("message %d was not taken: %s", message.id, reason),
            prepare=prepare if message.attachments else None,
        )

    # rules

    def judge(self, arrival: Arrival) -> Verdict:
        """What is to become of an arrival, as far as can be said without asking Discord."""
        return self._verdict(arrival, self._roles_at_hand(arrival))

    def _verdict(self, arrival: Arrival, roles: frozenset[str] | None) -> Verdict:
        place = self.window_map.window_of(arrival.channel)
        if place is Place.ELSEWHERE:
            return NOT_HERE
        user_id = str(arrival.author.id)
        if roles is None and depends_on_roles(self._access, user_id):
            return Place.UNKNOWN
        stands = standing(self._access, user_id=user_id, role_ids=roles or ())
        if stands is Standing.NOBODY:
            return NOT_HEARD
        return place if isinstance(place, Place) else Admitted(place, stands)

    @staticmethod
    def _roles_at_hand(arrival: Arrival) -> frozenset[str] | None:
        """The author's roles if Discord sent them along (it does with what is live, not with history)."""
        if not isinstance(arrival.author, discord.Member):
            return None
        return frozenset(str(role.id) for role in arrival.author.roles)

    async def _inquire(self, arrival: Arrival, roles: dict[int, frozenset[str]]) -> Verdict:
        """The verdict once Discord was asked, however long that takes; never `UNKNOWN`.

        Raises:
            CallRefusedError: the channel or the person is gone.
        """
        if self.window_map.window_of(arrival.channel) is Place.UNKNOWN:
            channel = await self._until_answered(
                "looking up a channel", lambda client: client.fetch_channel(int(arrival.channel_id))
            )
            if self.window_map.learn(channel) is Place.ELSEWHERE:
                return NOT_HERE
        held = self._roles_at_hand(arrival)
        if held is None and depends_on_roles(self._access, str(arrival.author.id)):
            held = await self._roles_of(arrival, roles)
        return self._verdict(arrival, held or frozenset())

    async def _roles_of(self, arrival: Arrival, roles: dict[int, frozenset[str]]) -> frozenset[str]:
        author_id, guild_id = arrival.author.id, arrival.guild_id
        if author_id not in roles and guild_id is not None:
            member = await self._until_answered(
                "looking up a member", lambda client: client.http.get_member(guild_id, author_id)
            )
            roles[author_id] = frozenset(str(role) for role in member["roles"])
        return roles.get(author_id, frozenset())

    async def _until_answered(self, what: str, call: Callable[[discord.Client], Coroutine[Any, Any, Any]]) -> Any:
        """What `call` gives; to give up would lose what people said."""
        while True:
            try:
                return await self._rest.persist(what, call)
            except CallFailedError as error:
                log.error("%s; what people say there waits", error)

    # tasks

    def spawn(self, work: Coroutine[Any, Any, None]) -> None:
        """Run `work` beside what goes on, until the loop is closed."""
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._report)

    def _report(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            log.error("a lane of arrivals ended badly", exc_info=error)

"""Driver of a playground from any thread: every act as a method that waits for the server's thread."""

from __future__ import annotations

import asyncio
import concurrent.futures
import functools
from collections.abc import Callable, Coroutine
from typing import Any, Concatenate, ParamSpec, TypeVar

from lab.playground.acts import interactions, observation, people, trouble
from lab.playground.acts.observation import WAIT_S
from lab.playground.gateway.events import Event
from lab.playground.hub import Hub

P = ParamSpec("P")
T = TypeVar("T")

_GRACE_S = 5.0


def _on_loop(act: Callable[Concatenate[Hub, P], T]) -> Callable[Concatenate[Driver, P], T]:
    """Make a method of an act."""

    @functools.wraps(act)
    def method(driver: Driver, /, *args: P.args, **kwargs: P.kwargs) -> T:
        return driver.run(lambda: act(driver.hub, *args, **kwargs))

    return method


def _awaited(act: Callable[Concatenate[Hub, P], Coroutine[Any, Any, T]]) -> Callable[Concatenate[Driver, P], T]:
    """Make a method of an act that waits for the bot, for at most its `timeout_s`."""

    @functools.wraps(act)
    def method(driver: Driver, /, *args: P.args, **kwargs: P.kwargs) -> T:
        timeout_s: Any = kwargs.get("timeout_s", WAIT_S)
        return driver.wait(act(driver.hub, *args, **kwargs), timeout_s)

    return method


class Driver:
    """Acts as blocking calls: they hold the calling thread, never the server's.

    Ids are integers. A caller's mistake is a `ValueError`, a refusal of Discord's an `ApiError`, the end of a wait a
    `TimeoutError`.
    """

    say = _on_loop(people.say)
    edit = _on_loop(people.edit)
    delete = _on_loop(people.delete)
    delete_many = _on_loop(people.delete_many)
    react = _on_loop(people.react)
    type_in = _on_loop(people.type_in)
    add_user = _on_loop(people.add_user)
    add_role = _on_loop(people.add_role)
    change_role = _on_loop(people.change_role)
    remove_role = _on_loop(people.remove_role)
    create_guild = _on_loop(people.create_guild)
    create_channel = _on_loop(people.create_channel)
    delete_channel = _on_loop(people.delete_channel)
    overwrite = _on_loop(people.overwrite)
    create_thread = _on_loop(people.create_thread)
    change_thread = _on_loop(people.change_thread)
    open_dm = _on_loop(people.open_dm)

    slash = _awaited(interactions.slash)
    complete = _awaited(interactions.complete)
    call_on_message = _awaited(interactions.call_on_message)
    call_on_user = _awaited(interactions.call_on_user)
    click = _awaited(interactions.click)
    submit_modal = _awaited(interactions.submit_modal)
    wait_for_answer = _awaited(interactions.wait_for_answer)
    answers = _on_loop(interactions.answers)

    messages = _on_loop(observation.messages)
    file = _on_loop(observation.file)
    last_event = _on_loop(observation.last_event)
    requests = _on_loop(observation.requests)
    counters = _on_loop(observation.counters)
    is_bot_typing = _on_loop(observation.is_bot_typing)
    wait_for_reply = _awaited(observation.wait_for_reply)
    settled_replies = _awaited(observation.settled_replies)
    wait_for = _awaited(observation.wait_for)
    next_events = _awaited(observation.next_events)
    wait_until_online = _awaited(observation.wait_until_online)
    wait_for_typing = _awaited(observation.wait_for_typing)

    inject = _on_loop(trouble.inject)
    choose_faults = _on_loop(trouble.choose_faults)
    clear_faults = _on_loop(trouble.clear_faults)
    garble = _on_loop(trouble.garble)
    limit_rates = _on_loop(trouble.limit_rates)
    drop = _awaited(trouble.drop)
    op7 = _on_loop(trouble.op7)
    op9 = _on_loop(trouble.op9)
    zombie = _on_loop(trouble.zombie)
    gateway_faults = _on_loop(trouble.gateway_faults)
    send_delayed = _on_loop(trouble.send_delayed)
    dispatch = _on_loop(trouble.dispatch)

    def __init__(self, hub: Hub) -> None:
        """Keep the hub; nothing can be called before the server has set its loop.

        Args:
            hub: The playground.
        """
        self.hub = hub
        """Used on the server's loop only: by `run`, and by listeners of events."""
        self._loop: asyncio.AbstractEventLoop | None = None

    def run(self, act: Callable[[], T]) -> T:
        """Run `act` in the server's thread; return the result."""

        async def call() -> T:
            return act()

        return self.wait(call(), WAIT_S)

    def wait(self, coroutine: Coroutine[Any, Any, T], timeout_s: float) -> T:
        """Run `coroutine` on the server's loop; return the result after at most a little more than `timeout_s`."""
        loop = self._loop
        if loop is None or loop.is_closed():
            coroutine.close()
            raise RuntimeError("the playground is not running: call start() first")
        future = asyncio.run_coroutine_threadsafe(coroutine, loop)
        try:
            return future.result(timeout_s + _GRACE_S)
        except concurrent.futures.CancelledError as error:
            raise RuntimeError("the playground was stopped meanwhile") from error

    def subscribe(self, listener: Callable[[Event], None]) -> Callable[[], None]:
        """Call `listener` on the server's thread for every event; the result ends that. It must not block."""
        self.run(lambda: self.hub.feed.subscribe(listener))
        return lambda: self.run(lambda: self.hub.feed.unsubscribe(listener))

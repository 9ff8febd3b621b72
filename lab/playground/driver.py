"""Driver of a playground from any thread: every act as a method, waiting for the server's thread."""

from __future__ import annotations

import asyncio
import concurrent.futures
import functools
from collections.abc import Callable, Coroutine
from typing import Any, Concatenate, ParamSpec, TypeVar

from lab.playground.acts import interactions, observation, past, people, trouble
from lab.playground.acts.observation import WAIT_S
from lab.playground.gateway.events import Event
from lab.playground.hub import Hub

P = ParamSpec("P")
T = TypeVar("T")

_GRACE_S = 5.0


def _run_act(act: Callable[Concatenate[Hub, P], T]) -> Callable[Concatenate[Driver, P], T]:
    """Make a method of an act."""

    @functools.wraps(act)
    def method(driver: Driver, /, *args: P.args, **kwargs: P.kwargs) -> T:
        return driver.run(lambda: act(driver.hub, *args, **kwargs))

    return method


def _wait_for_act(act: Callable[Concatenate[Hub, P], Coroutine[Any, Any, T]]) -> Callable[Concatenate[Driver, P], T]:
    """Make a method of an act that waits for the bot, for at most the act's `timeout_s`."""

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

    say = _run_act(people.say)
    speak = _run_act(people.speak)
    edit = _run_act(people.edit)
    delete = _run_act(people.delete)
    delete_many = _run_act(people.delete_many)
    react = _run_act(people.react)
    type_in = _run_act(people.type_in)
    add_user = _run_act(people.add_user)
    name_in_guilds = _run_act(people.name_in_guilds)
    add_role = _run_act(people.add_role)
    change_role = _run_act(people.change_role)
    remove_role = _run_act(people.remove_role)
    create_guild = _run_act(people.create_guild)
    create_channel = _run_act(people.create_channel)
    move_channel = _run_act(people.move_channel)
    delete_channel = _run_act(people.delete_channel)
    overwrite = _run_act(people.overwrite)
    create_thread = _run_act(people.create_thread)
    change_thread = _run_act(people.change_thread)
    open_dm = _run_act(people.open_dm)
    plant_year = _run_act(past.plant_year)

    slash = _wait_for_act(interactions.slash)
    complete = _wait_for_act(interactions.complete)
    call_on_message = _wait_for_act(interactions.call_on_message)
    call_on_user = _wait_for_act(interactions.call_on_user)
    click = _wait_for_act(interactions.click)
    submit_modal = _wait_for_act(interactions.submit_modal)
    wait_for_answer = _wait_for_act(interactions.wait_for_answer)
    answers = _run_act(interactions.answers)

    messages = _run_act(observation.messages)
    file = _run_act(observation.file)
    last_event = _run_act(observation.last_event)
    requests = _run_act(observation.requests)
    counters = _run_act(observation.counters)
    is_bot_typing = _run_act(observation.is_bot_typing)
    wait_for_reply = _wait_for_act(observation.wait_for_reply)
    settled_replies = _wait_for_act(observation.settled_replies)
    wait_for = _wait_for_act(observation.wait_for)
    next_events = _wait_for_act(observation.next_events)
    wait_until_online = _wait_for_act(observation.wait_until_online)
    wait_for_typing = _wait_for_act(observation.wait_for_typing)

    inject = _run_act(trouble.inject)
    choose_faults = _run_act(trouble.choose_faults)
    clear_faults = _run_act(trouble.clear_faults)
    garble = _run_act(trouble.garble)
    limit_rates = _run_act(trouble.limit_rates)
    drop = _wait_for_act(trouble.drop)
    op7 = _run_act(trouble.op7)
    op9 = _run_act(trouble.op9)
    zombie = _run_act(trouble.zombie)
    gateway_faults = _run_act(trouble.gateway_faults)
    send_delayed = _run_act(trouble.send_delayed)
    dispatch = _run_act(trouble.dispatch)

    def __init__(self, hub: Hub) -> None:
        """Keep the hub; no method can be called before the server has set the loop.

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
        """Call `listener` on the server's thread for every event; the result ends the calls.

        The listener must not block.
        """
        self.run(lambda: self.hub.feed.subscribe(listener))
        return lambda: self.run(lambda: self.hub.feed.unsubscribe(listener))

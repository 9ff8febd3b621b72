"""Check of a model: a short call by the actor of all model calls."""

from __future__ import annotations

from collections.abc import Mapping

from actors.settings.schema import Settings
from messages.base import RequestId, Surface, Window
from messages.model import MODEL, ChatMessage, ModelDelta, ModelFailed, ModelReply, ModelRequest, Role

PATIENCE_S = 90.0
WINDOW = Window(surface=Surface.CLI, id="setup")


def failure_of(settings: Settings, secrets: Mapping[str, str]) -> str:
    """Why the model of `settings` does not answer; empty if it does.

    Args:
        settings: With the model in question.
        secrets: Provider keys by litellm's names.
    """
    from actors.bootstrap import agent_plan
    from actors.kernel import ActorSystem
    from actors.model.part import row
    from actors.part import Parts

    system = ActorSystem(workers=2)
    part = row(agent_plan(settings, secrets, system, None), Parts.__new__(Parts))
    edge = system.edge("setup")
    system.register(part.spec)
    system.start()
    try:
        edge.tell(
            MODEL,
            ModelRequest(
                request_id=RequestId("setup"),
                reply_to=edge.address,
                window=WINDOW,
                system_prompt="Answer with one word.",
                messages=(ChatMessage(role=Role.USER, text="Say: ready"),),
                tools=(),
            ),
        )
        answer = edge.receive(PATIENCE_S, lambda message: not isinstance(message, ModelDelta))
    except TimeoutError:
        return f"the model has not answered within {PATIENCE_S:g} s"
    finally:
        system.stop()
    if isinstance(answer, ModelFailed):
        return answer.reason
    return "" if isinstance(answer, ModelReply) else "the model's answer cannot be read"

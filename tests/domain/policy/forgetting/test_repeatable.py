from __future__ import annotations

from domain.policy.forgetting.repeatable import is_repeatable


def test_a_text_is_repeatable_if_an_equal_one_is_hardly_an_accident() -> None:
    assert is_repeatable("my dog is called Rex")
    assert is_repeatable("zebra-4711-x")
    assert not is_repeatable("zebra-4711")
    assert not is_repeatable("here is a file")

from __future__ import annotations

from domain.policy.channel_rules import ChannelRule, ChannelRules

RULES = ChannelRules(
    {
        "thread": ChannelRule(instructions="Rhyme."),
        "channel": ChannelRule(answer="mentions", instructions="Be brief.", model="small"),
        "category": ChannelRule(answer="all", threads="auto"),
    },
    ChannelRule(answer="all", threads="off"),
)


def test_each_key_counts_from_the_nearest_place_that_sets_it() -> None:
    cases = [
        (("thread", "channel", "category"), ("mentions", "auto", "small", "Rhyme.")),
        (("other", "channel", "category"), ("mentions", "auto", "small", "Be brief.")),
        (("sibling", "category"), ("all", "auto", "", "")),
        (("elsewhere",), ("all", "off", "", "")),
        ((), ("all", "off", "", "")),
    ]
    failures = []
    for places, expected in cases:
        rule = RULES.of(places)
        if (rule.answer, rule.threads, rule.model, rule.instructions) != expected:
            failures.append((places, rule))
    assert not failures


def test_a_table_without_a_rule_is_named_as_a_table_and_as_no_source() -> None:
    rules = ChannelRules({"marked": ChannelRule(), "channel": ChannelRule(model="small")})

    assert rules.tables_of(("marked", "channel")) == ("marked", "channel")
    assert rules.sources_of(("marked", "channel")) == ("channel",)


def test_tables_are_named_from_the_nearest_on() -> None:
    assert RULES.tables_of(("x", "channel", "category")) == ("channel", "category")
    assert ChannelRule().addition == ""
    assert ChannelRule(instructions=" Rhyme.\n").addition.endswith("\nRhyme.")

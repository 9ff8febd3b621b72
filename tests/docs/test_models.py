"""The page about models against the recipes that are tested."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.actors.model.recipes.recorded import recipes

PAGE = (Path(__file__).parents[2] / "docs/models.md").read_text()
RECIPES = recipes()
ROW = re.compile(
    r"^\| \[.*\| `(?P<file>[a-z_]+)\.json` \| (?P<count>[0-9]+) \| (?P<spoken_to>[a-z ]+) \|$", re.MULTILINE
)


def test_the_page_has_a_row_for_each_recipe_and_says_that_nobody_has_tried_it() -> None:
    rows = [(row["file"], int(row["count"]), row["spoken_to"]) for row in ROW.finditer(PAGE)]

    assert sorted(rows) == [
        (name, len(recipe.exchanges), "once" if recipe.spoken_to else "never") for name, recipe in RECIPES.items()
    ]


def test_the_page_has_the_settings_that_are_tested(subtests: pytest.Subtests) -> None:
    for name in RECIPES:
        with subtests.test(name=name):
            recipe = RECIPES[name]
            is_told_aside = name == "ollama_native"

            assert (f"`{recipe.model}`" if is_told_aside else f'name = "{recipe.model}"') in PAGE
            assert not recipe.key or f"`{recipe.key}`" in PAGE
            assert not recipe.address or f"`{recipe.address}`" in PAGE
            if not recipe.address:
                own = re.compile(rf'api_base = "http://127\.0\.0\.1:[0-9]+{recipe.api_base}"')
                assert own.search(PAGE)


def test_the_setup_offers_what_the_page_tells() -> None:
    from actors.cli.setup.models import RECIPES as OFFERED

    real = {offered.word: offered for offered in OFFERED if "/" in offered.model}

    assert set(real) == set(RECIPES) - {"ollama_native"}
    for word, offered in real.items():
        tried = RECIPES[word]
        assert offered.model == tried.model or (
            offered.model.endswith("/NAME") and tried.model.startswith(offered.model.removesuffix("NAME"))
        )
        assert offered.key == tried.key
        assert not offered.api_base or f'api_base = "{offered.api_base}"' in PAGE

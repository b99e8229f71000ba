"""Every command that a card or a page names leads to a file that is there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = [
    *(ROOT / "src/medveil/weights").rglob("*.json"),
    *(ROOT / "src/medveil/weights").rglob("*.md"),
    *(ROOT / "docs").rglob("*.md"),
    ROOT / "README.md",
    ROOT / "recipes/README.md",
]
MODULE = re.compile(r"python -m (recipes(?:\.\w+)+)")
FILE = re.compile(r"\b((?:recipes|benchmarks)/[\w/]+\.py)")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_named_commands_are_there(page: Path) -> None:
    text = page.read_text("utf-8")
    named = {f"{module.replace('.', '/')}.py" for module in MODULE.findall(text)} | set(FILE.findall(text))
    assert [name for name in sorted(named) if not (ROOT / name).is_file()] == []


def test_every_bundled_model_has_a_recipe_and_a_line_in_the_readme() -> None:
    models = {path.parent.name for path in (ROOT / "src/medveil/weights").rglob("*.safetensors")}
    readme = (ROOT / "recipes/README.md").read_text("utf-8")
    for model in models:
        assert (ROOT / "recipes" / model / "recipe.py").is_file()
        assert (ROOT / "recipes" / model / "card.py").is_file()
        assert f"`{model}`" in readme

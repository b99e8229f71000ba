"""What `deid --what-if` prints: each action in words, a legend, and a summary."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import typer

from medveil import console

if TYPE_CHECKING:
    from medveil.defenses.headers.cleaner import Done

# The standard's letter for an action (PS3.15 Table E.1-1a), our word for it, and what that means.
LEGEND = {
    "X": ("removed", "the attribute is not in the output"),
    "Z": ("emptied", "the attribute stays, without a value; PatientName, PatientID and AccessionNumber get a stand-in"),
    "D": ("replaced", "an invented value takes the place of the original"),
    "C": ("cleaned", "what identifies someone is replaced, and dates are shifted; the rest stays"),
    "U": ("new UID", "a new identifier, the same one wherever the original occurs"),
    "K": ("kept", "the value stays as it is"),
}


def show_what_if(plan: Iterable[tuple[str, list[Done] | str]], *, json: bool) -> None:
    """`plan` gives, for each file by pseudonym, its actions or the reason why it would be withheld."""
    from medveil.defenses.headers.options import BASIC_CODE, BASIC_MEANING, BY_CODE

    by_code = {BASIC_CODE: BASIC_MEANING} | {code: option.meaning for code, option in BY_CODE.items()}
    files: dict[str, Any] = {}
    actions: Counter[str] = Counter()
    withheld: Counter[str] = Counter()
    if not json:
        _show_legend()
    for name, done in plan:
        if isinstance(done, str):
            withheld[done] += 1
        else:
            actions.update(_word(one.action) for one in done)
        if json:
            files[name] = done if isinstance(done, str) else [vars(one) | {"does": _word(one.action)} for one in done]
        else:
            files[name] = None
            _show_file(name, done, by_code)
    summary = {
        "files": len(files),
        "actions": dict(sorted(actions.items())),
        "withheld": dict(sorted(withheld.items())),
    }
    if json:
        legend = {letter: f"{word}: {meaning}" for letter, (word, meaning) in LEGEND.items()}
        console.show_json({"legend": legend, "summary": summary, "files": files})
    else:
        _show_summary(len(files), actions, withheld)


def _word(action: str) -> str:
    return LEGEND[action][0] if action in LEGEND else action


def _show_legend() -> None:
    typer.echo(
        "What would be done to each header. Burned-in text and reports are not looked at, and nothing is written."
    )
    for letter, (word, meaning) in LEGEND.items():
        typer.echo(f"  {word:<9} {meaning} ({letter})")
    typer.echo("After each action comes the profile or option it follows from.\n")


def _show_file(name: str, done: list[Done] | str, by_code: dict[str, str]) -> None:
    if isinstance(done, str):
        typer.echo(f"{name}\n  would be withheld: {done}\n")
        return
    typer.echo(name)
    for one in done:
        source = by_code.get(one.code, one.code)
        typer.echo(f"  {_word(one.action):<9} {one.path} {one.keyword}{f' · {source}' if source else ''}")
    typer.echo()


def _show_summary(files: int, actions: Counter[str], withheld: Counter[str]) -> None:
    typer.echo(f"{console.counted(files, 'file')}, {console.counted(sum(withheld.values()), 'file')} withheld")
    for word, number in actions.most_common():
        typer.echo(f"  {word:<9} {console.counted(number, 'attribute')}")
    for reason, number in withheld.most_common():
        typer.echo(f"  withheld  {console.counted(number, 'file')}: {reason}")

"""From FAIL to a decision: for each reason against PASS, what would change it, what that costs, and the command."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator, Mapping
from itertools import pairwise
from typing import Literal

from medveil.finding import ONE_IN_ELEVEN, Verdict
from medveil.parts import registered, runs_unasked
from medveil.release.gaps import BESIDE, OTHER_VIEWS
from medveil.release.settings import Settings
from medveil.report.content import Comparison, Gap, Remedy, ReportContent

SOURCE, OUTPUT, NEW = "IN", "OUT", "NEW"
LOOK = f"medveil review {OUTPUT} --source {SOURCE} --page REVIEW.html"
WITHHELD = f"medveil quarantine {OUTPUT} --source {SOURCE}"
ANATOMY_COST = (
    "Films are drawn anew from a short code: fine detail is lost, and they are for teaching and training only, never "
    "for looking after a person. From films of 8 bits a classifier learned 79 % (65 to 90) of what the originals teach "
    "above chance (NIH ChestX-ray14; the page on coded films tells how); what yours keep, --advise tries."
)
TABLE_COST = (
    "Ages, sites and dates become coarser and rare patients are withheld; no image changes. How much, --advise tries."
)
PERSONS_TIME = "A person's time; what is rejected is withheld."
_VALUED = ("--protect", "--risk", "--threshold", "--attack", "--defense", "--out", "-o")
TIME = "Time, and no change to the data."


def remedies(content: ReportContent, settings: Settings) -> tuple[Remedy, ...]:
    """One for each of the reasons, in their order; what no part of medveil can change is left to a person, in words."""
    command = content.provenance.command
    if not command.startswith("medveil release") and settings.protect != "none":  # films alone were protected
        command = f"medveil release {SOURCE} --protect {settings.protect}"
    known = {each.reason: each for each in _known(content, settings, command)}
    return tuple(known.get(reason) or Remedy("Open", reason, _FOR_A_PERSON) for reason in content.reasons)


def advising(command: str) -> str:
    """The command that tries on a sample what would change the verdict."""
    words = [word for word in shlex.split(command) if word != "--advise"]
    return shlex.join([*words, "--advise"])


def with_paths(command: str, paths: Mapping[str, object]) -> list[str]:
    """The words of a command with what stands for paths replaced by them."""
    return [str(paths.get(word, word)) for word in shlex.split(command)]


_FOR_A_PERSON = "No defense of medveil's changes this: a person must judge it."


def _known(content: ReportContent, settings: Settings, command: str) -> Iterator[Remedy]:
    needed = {_protected(each) for each in content.comparisons if each.reason and each.after.kind == "attack"}
    for comparison in content.comparisons:
        if comparison.reason:
            yield _of_comparison(comparison, comparison.reason, settings, command, both=len(needed) > 1)
    for gap in content.gaps:
        if gap.blocking:
            yield _of_gap(gap, settings, command)
    if content.check and content.check.found:
        reason = next((each for each in content.reasons if each.startswith("The check of the output")), "")
        change = "Look at the images and reports that the check names, and reject what identifies somebody."
        yield Remedy("Check of the output", reason, change, PERSONS_TIME, LOOK)


def _protected(comparison: Comparison) -> Literal["table", "anatomy"]:
    """What has to be protected against this attack."""
    place = getattr(registered("attacks").get(comparison.after.part), "place", None)
    return "table" if place == "table" else "anatomy"


def _of_comparison(comparison: Comparison, reason: str, settings: Settings, command: str, *, both: bool) -> Remedy:
    finding = comparison.after
    about = finding.part.replace("-", " ").capitalize()
    if finding.kind == "measure":
        return Remedy(
            about,
            reason,
            "Look at the films that were changed; keep what is anatomy, or accept the change for each film.",
            PERSONS_TIME,
            LOOK,
        )
    what, wanted = _protected(comparison), settings.accepted.value
    protects = settings.protect in (what, "all")
    if protects:
        wanted = (settings.risk if settings.risk is not None else wanted) / 2
    target = "all" if both else settings.protect if protects else _joined(settings.protect, what)
    change = _change(what, wanted, again=protects)
    if comparison.verdict is Verdict.REVIEW:
        change += " More patients would bring the bounds closer; they alone may settle it."
    flags = ("--protect", target, "--risk", f"{wanted:.2g}")
    return Remedy(about, reason, change, TABLE_COST if what == "table" else ANATOMY_COST, changed(command, flags))


def _joined(protect: str, what: str) -> str:
    return what if protect == "none" else "all"


def _change(what: str, risk: float, *, again: bool) -> str:
    kept = f"to keep a risk of {risk:.2g}"
    if what == "table":
        return f"Tell {'still ' * again}less of ages, sites and dates, {kept}."
    return f"Draw the films anew from {'a still shorter' if again else 'a short'} code, {kept}."


def _of_gap(gap: Gap, settings: Settings, command: str) -> Remedy:
    about = gap.what.replace("-", " ")
    about = about[:1].upper() + about[1:]
    if "no defense covers it" in gap.why:
        change = "Let the defenses that run unasked run, the one for this place among them."
        return Remedy(about, gap.sentence, change, "", changed(command, ("--defense", "default"), also=True))
    if gap.what == "Threshold":
        change = "Judge by what is in common use; or whoever signs answers for the higher risk."
        usual = ("--threshold", f"{ONE_IN_ELEVEN.value:g}")
        return Remedy(about, gap.sentence, change, "What is needed to keep it.", changed(command, usual))
    if gap.what == OTHER_VIEWS:
        change = "Leave these images out at the source; or draw the films anew, which withholds them."
        flags = ("--protect", _joined(settings.protect, "anatomy"), "--risk", f"{settings.accepted.value:.2g}")
        return Remedy(about, gap.sentence, change, ANATOMY_COST, changed(command, flags))
    if gap.what == BESIDE:
        change = (
            "Leave these files out at the source; or release images and a table, in which each report has its image."
        )
        return Remedy(about, gap.sentence, change, "", changed(command, ("--as", "table")))
    if any(why in gap.why for why in ("faces=keep", "the profile ", "of one's own")):
        change = "Let the defenses run as they run unasked, which keeps this back."
        return Remedy(about, gap.sentence, change, "", changed(command, ("--defense", "default")))
    if gap.what in registered("attacks"):
        return _of_missing_attack(about, gap, settings, command)
    if gap.what == "Everything":
        change = "See why each image was withheld, and mend it at the source."
        return Remedy(about, gap.sentence, change, "", WITHHELD)
    return Remedy(about, gap.sentence, _FOR_A_PERSON)


def _of_missing_attack(about: str, gap: Gap, settings: Settings, command: str) -> Remedy:
    chosen = next((each for each in settings.chosen("attacks") if each.name == gap.what), None)
    if chosen is not None and chosen.weakened and "set by hand" in gap.why:
        return Remedy(about, gap.sentence, "Run it as it runs unasked.", TIME, _attacking(command, gap.what, anew=True))
    if chosen is not None:
        place = getattr(registered("attacks")[gap.what], "place", None)
        if place == "anatomy" and settings.protect not in ("anatomy", "all"):
            change = "Bring data it can be tried on, or draw the films anew, so that a guarantee covers the anatomy."
            flags = ("--protect", _joined(settings.protect, "anatomy"), "--risk", f"{settings.accepted.value:.2g}")
            return Remedy(about, gap.sentence, change, ANATOMY_COST, changed(command, flags))
        change = "Bring data on which it can be tried; until then a person must judge it."
        return Remedy(about, gap.sentence, change)
    return Remedy(about, gap.sentence, "Run this attack too.", TIME, _attacking(command, gap.what))


def _attacking(command: str, name: str, *, anew: bool = False) -> str:
    """With this attack beside those that run unasked; `anew`, as nothing had been said of attacks."""
    usual = runs_unasked(registered("attacks")[name])
    named = ("--attack", "default") if usual else ("--attack", "default", "--attack", name)
    return changed(command, named, also=not anew)


def changed(command: str, flags: tuple[str, ...], *, also: bool = False) -> str:
    """The command with these flags into a new folder. What they set before is dropped; `also` keeps parts that were
    named beside those that run unasked."""
    words = shlex.split(command if command.startswith("medveil release") else f"medveil release {SOURCE}")
    kept: list[str] = []
    dropped = {"--out", "-o"} | (set() if also else set(flags[::2]))
    at = 0
    while at < len(words):
        if words[at] in dropped and words[at] in _VALUED:
            at += 2
            continue
        kept.append(words[at])
        at += 1
    given = list(pairwise(kept))
    new = [word for flag, value in _pairs(flags) if (flag, value) not in given for word in (flag, value)]
    return shlex.join([*(word for word in kept if word != "--advise"), "-o", NEW, *new])


def _pairs(flags: Iterable[str]) -> Iterator[tuple[str, str]]:
    words = list(flags)
    return zip(words[::2], words[1::2], strict=True)

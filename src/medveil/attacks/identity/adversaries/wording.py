"""What the attackers found, in the words and numbers of the report."""

from __future__ import annotations

from medveil.attacks.identity.adversaries import FILMS_AND_ROWS
from medveil.attacks.identity.adversaries.attacked import Attacked, Strongest
from medveil.attacks.identity.adversaries.effort import Effort
from medveil.attacks.identity.adversaries.matching import STRANGERS
from medveil.attacks.identity.adversaries.reading import ReadFilms
from medveil.finding import ONE_IN_ELEVEN, Figure, Finding, Power, Series, Table, percent
from medveil.stats.estimate import Estimate

HEADLINE = "precision@1 of the strongest attacker"
UNTOUCHED = "precision@1 on untouched films"
WORKS = 0.5  # of untouched films: an attacker who finds as many is no weak one, whatever the table tells
FEWEST = 10  # patients with two visits to learn from; with fewer, those who learn have hardly learned
WHO = {
    "frozen": "the bundled networks as they are",
    "other": "a network of another architecture",
    "retrained": "a network retrained on such films of other patients",
    "restored": "the bundled networks after a learned restoration",
}
AMONG = {"dd": "among released films", "do": "among originals"}
GLOSSARY = {
    HEADLINE: "The share of films whose most similar other film is of the same patient, for the attacker and the "
    "gallery with the highest upper end.",
    UNTOUCHED: "The same where nothing was changed, for the attacker who does best: what can be recognised at all.",
    FILMS_AND_ROWS: "The same among released films for somebody who also compares what the released rows tell beside "
    "them: age, sex, site and findings. It has no threshold.",
    "CMC-R1": "The share of films for which the most similar of all originals, the film's own among them, is of the "
    "same patient.",
    "ID-R": f"The share of films as alike to their own original as {STRANGERS:g} of pairs of two persons are.",
}


def adversaries_finding(part: str, done: Attacked, read: ReadFilms, effort: Effort, *, seed: int) -> Finding:
    strongest = done.strongest(seed=seed)
    untouched = max((done.mean(values, seed=seed) for values in done.undefended.values()), key=lambda e: e.value)
    found = {key: done.estimate(*key, seed=seed) for key in done.hits}
    named = {f"{WHO[attacker]}, {AMONG[mode]}": each for (attacker, mode), each in found.items()}
    own = {
        f"{measure}, {WHO[attacker]}": done.mean(values[attacker], seed=seed, searched=False)
        for measure, values in (("CMC-R1", done.cmc), ("ID-R", done.own))
        for attacker in done.attackers
    }
    together = [done.mean(values, seed=seed) for values in done.together.values()]
    if together:
        own[FILMS_AND_ROWS] = max(together, key=lambda each: each.high)
    return Finding(
        part=part,
        kind="attack",
        question="Can patients be recognised in the released films by somebody who learns from such films of others?",
        answer=_answer(strongest, untouched, done),
        headline=HEADLINE,
        estimates={HEADLINE: strongest.estimate, UNTOUCHED: untouched, **named, **own},
        threshold=ONE_IN_ELEVEN,
        method=_method(done, effort, len(found)),
        limits=_limits(strongest.estimate, done, read),
        figures=(_figure(done, found),),
        tables=(_table(done, found, seed), *_set_aside(read)),
        glossary=GLOSSARY,
        power=_power(untouched, done),
    )


def _answer(strongest: Strongest, untouched: Estimate, done: Attacked) -> str:
    found = strongest.estimate
    table = "" if found.control is None else f", age, sex, view and site in {percent(found.control)}"
    return (
        f"The strongest of {len(done.attackers)} attackers, {WHO[strongest.attacker]}, finds another film of the same "
        f"patient {AMONG[strongest.mode]} in at most {percent(found.high)} of {found.n:,} tries (measured: "
        f"{percent(found.value)}); blind guessing succeeds in {percent(found.chance)}{table}. In untouched films "
        f"{percent(untouched.value)} are found."
    )


def _method(done: Attacked, effort: Effort, looks: int) -> str:
    others = "; ".join(WHO[attacker] for attacker in done.attackers)
    return (
        f"Attackers: {others}. Each takes every film of a patient with several visits and names the most similar film "
        "of another visit, once among the released films and once among the originals of the others. Patients are "
        "dealt into two halves: films of the one, before and after the defenses, teach the attackers that learn "
        f"({_tries(effort)}), films of the other are attacked, and the reverse. "
        f"The highest of {looks} upper ends counts. It needs no correction for looking so often, for the upper end of "
        "whoever is strongest in truth is among them; the lower end is corrected by Bonferroni. Intervals are the "
        "wider of a bootstrap by patient and the exact one that counts every patient once."
    )


def _tries(effort: Effort) -> str:
    steps = (
        f"{effort.steps} steps of {effort.patients * effort.images} films at {effort.size} pixels; restoration "
        f"{effort.restoring_steps} steps at {effort.restored_size}"
    )
    return steps if effort.passes is None else f"at most {steps}; no film more than {effort.passes} times"


def _limits(found: Estimate, done: Attacked, read: ReadFilms) -> tuple[str, ...]:
    limits = [
        "An attacker with more films to learn from, more time or larger images may find more.",
        "A film is sought in its half of the release only: fewer people to confuse it with, so that the share errs on "
        "the high side.",
        f"Who learned had {done.learned_from[0]:,} patients to learn from, {done.learned_from[1]:,} of them with "
        "several visits.",
        "Colours are looked at by their luminance.",
    ]
    if found.control is not None and found.value < found.control:
        limits.append(
            f"Age, sex, view and site alone find {percent(found.control)}, more than the strongest attacker on the "
            "films: what they tell is the table's risk, and is not measured here."
        )
    if not read.frontal:
        limits.append(
            "No image is a frontal chest X-ray: all take part, and those of one visit are sought in one another, such "
            "as the left and the right eye of a person."
        )
    if "other" not in done.attackers:
        limits.append("No network of another architecture was at hand.")
    if read.drawn < read.patients:
        limits.append(f"{read.drawn:,} of {read.patients:,} patients were drawn, those who came often first.")
    aside = sum(read.set_aside.values())
    if aside:
        limits.append(f"Films set aside and not attacked: {aside:,}; the table says why.")
    return tuple(limits)


def _power(untouched: Estimate, done: Attacked) -> Power:
    """An attack that did not succeed reassures only if it could have."""
    works = untouched.low > (untouched.chance or 0.0)
    weaker = untouched.value < min(untouched.control or 0.0, WORKS)
    few = done.learned_from[1] < FEWEST
    shown = (
        f"In untouched films of these patients the attackers find {percent(untouched.value)} "
        f"({percent(untouched.low)} to {percent(untouched.high)}; chance {percent(untouched.chance)})"
    )
    shown += "." if works else ", hardly more than chance, so that their failure on the released ones proves nothing."
    if few:
        shown += (
            f" Only {done.learned_from[1]} patients with several visits taught those that learn; with fewer than "
            f"{FEWEST} they have hardly learned."
        )
    held = "" if untouched.control is None else f"Age, sex, view and site alone find {percent(untouched.control)}."
    if weaker:
        held += " The attackers find fewer: they are weaker than anybody with the table."
    return Power(shown, held, enough=works and not weaker and not few)


def _figure(done: Attacked, found: dict[tuple[str, str], Estimate]) -> Figure:
    series = []
    for mode, among in AMONG.items():
        own = [found[attacker, mode] for attacker in done.attackers]
        low, high = (tuple(getattr(each, end) for each in own) for end in ("low", "high"))
        series.append(
            Series(among, tuple(WHO[each] for each in done.attackers), tuple(e.value for e in own), low, high)
        )
    one = next(iter(found.values()))
    for name, level in (("chance", one.chance), ("control", one.control)):
        if level is not None:
            series.append(Series(name, series[0].x, (level,) * len(done.attackers)))
    return Figure(
        title="Patients recognised, by attacker",
        kind="interval",
        x_title="attacker",
        y_title="precision@1",
        series=tuple(series),
    )


def _table(done: Attacked, found: dict[tuple[str, str], Estimate], seed: int) -> Table:
    rows: list[tuple[str | float | int | None, ...]] = []
    for attacker in done.attackers:
        dd, do = (found[attacker, mode] for mode in AMONG)
        more = [done.mean(each[attacker], seed=seed).value for each in (done.cmc, done.own, done.undefended)]
        rows.append((WHO[attacker], dd.value, dd.high, do.value, do.high, *more))
    columns = (
        *("attacker", "among released", "upper end", "among originals", "upper end of that"),
        *("CMC-R1", "ID-R", "untouched films"),
    )
    return Table("Precision@1 by attacker", columns, tuple(rows))


def _set_aside(read: ReadFilms) -> list[Table]:
    rows = tuple(read.set_aside.items())
    return [Table("Set aside before the attack", ("reason", "films"), rows)] if rows else []

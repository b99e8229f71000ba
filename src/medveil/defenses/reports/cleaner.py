"""Reports made free of identifiers: rules, tagger and what is known of the person find them, surrogates replace them,
and the result is read again before it is believed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Literal

from medveil.defenses.reports.draft import Draft
from medveil.defenses.reports.finding import found_in
from medveil.defenses.reports.merging import merged
from medveil.defenses.reports.rewriting import STYLES, Rewriter, Style
from medveil.errors import Quarantined, SettingsError
from medveil.person.identifiers import Category
from medveil.person.normalised import NormalisedText, is_deceptive
from medveil.person.person import Known, Person
from medveil.person.search.known import KnownSearch, search_for
from medveil.person.span import Span
from medveil.person.surrogates.surrogates import Surrogates

if TYPE_CHECKING:
    from medveil.defenses.reports.tagger.tagged_text import TaggedText
    from medveil.defenses.reports.tagger.tagger import Tagger

UNCLEAN = "report that could not be cleaned"
_ROUNDS = 3
_LONGEST = 1_000_000  # characters: a report is not a book, and a book is not looked through by anybody
_LEAST_ID = 4
_WORDS_FOR_TAGGER = 5  # a phrase shorter than this has nothing to read a word by
_REMEMBERED_PHRASES = 4096  # in memory alone, and forgotten together


@dataclass(frozen=True)
class CleanedText:
    """The text to release, and what was found at which places of the original.

    `not_rewritten`: rewriting was asked for, and lost content; the text has surrogates instead.
    """

    text: str
    found: tuple[Span, ...]
    not_rewritten: bool = False


class ReportCleaner:
    """`tagger` is the bundled network, another one, or None for rules alone.

    Style "rewritten" needs a model named by `rewriter`; without one, and for every text on which the model loses
    clinical content, it gives surrogates; the latter are told by `CleanedText.not_rewritten`.
    """

    def __init__(
        self,
        *,
        style: Style = "surrogates",
        rewriter: str | None = None,
        tagger: Tagger | Literal["bundled"] | None = "bundled",
    ) -> None:
        if style not in STYLES:
            raise SettingsError(f"there is no report style of that name; choose {', '.join(STYLES)}")
        if rewriter is not None and style != "rewritten":
            raise SettingsError("a rewriting model is named but the report style is not rewritten; choose that style")
        self.style = style
        self._rewriter = Rewriter(rewriter) if rewriter is not None else None
        self._chosen = tagger
        self._phrases: dict[str, list[Span]] = {}

    @cached_property
    def _tagger(self) -> Tagger | None:
        if self._chosen == "bundled":
            from medveil.defenses.reports.tagger.tagger import Tagger

            return Tagger.bundled()
        return self._chosen

    def find(self, text: str, known: KnownSearch | None = None) -> list[Span]:
        """Every identifier in the text, in order of place."""
        return self._find_many([text], [known])[0]

    def find_many(self, texts: Sequence[str]) -> list[list[Span]]:
        """As `find`, text by text, and faster: they are read side by side."""
        return self._find_many(texts, [None] * len(texts))

    def clean(self, text: str, person: Person) -> CleanedText:
        """The very same text where nothing is found; raises Quarantined where it is not sure to be clean."""
        return _or_raise(self.attempt_many([text], [person])[0])

    def clean_many(self, texts: Sequence[str], persons: Sequence[Person]) -> list[CleanedText]:
        return [_or_raise(one) for one in self.attempt_many(texts, persons)]

    def clean_phrase(self, text: str, person: Person) -> CleanedText:
        """A few words without a sentence around them, such as a study's description."""
        return _or_raise(self._attempt([text], [person], phrase=True)[0])

    def attempt_many(self, texts: Sequence[str], persons: Sequence[Person]) -> list[CleanedText | Quarantined]:
        """As `clean_many`, with the reason in place of each text that cannot be released."""
        return self._attempt(texts, persons, phrase=False)

    def attempt_phrases(self, texts: Sequence[str], persons: Sequence[Person]) -> list[CleanedText | Quarantined]:
        return self._attempt(texts, persons, phrase=True)

    def _attempt(
        self, texts: Sequence[str], persons: Sequence[Person], *, phrase: bool
    ) -> list[CleanedText | Quarantined]:
        tools = [_tools(person, self._realistic and not phrase) for person in persons]
        knowns = [known for known, _ in tools]
        results: list[CleanedText | Quarantined | None] = [_refused(text) for text in texts]
        drafts: dict[int, Draft] = {}
        readable = ["" if refused else text for text, refused in zip(texts, results, strict=True)]
        found = self._find_many(readable, knowns, phrase=phrase)
        for place, (text, (_, surrogates), seen) in enumerate(zip(texts, tools, found, strict=True)):
            if results[place] is None:
                if seen:
                    drafts[place] = Draft(text, surrogates, seen)
                else:
                    results[place] = CleanedText(text, ())
        for turn in range(_ROUNDS + 2):
            waiting = [place for place in drafts if results[place] is None]
            if not waiting:
                break
            again = self._find_many([drafts[one].text for one in waiting], [None] * len(waiting), phrase=phrase)
            for place, seen in zip(waiting, again, strict=True):
                if self._settled(drafts[place], seen, knowns[place], harder=turn >= _ROUNDS):
                    results[place] = self._finished(drafts[place], knowns[place])
        return [result if result is not None else Quarantined(UNCLEAN) for result in results]

    @property
    def _realistic(self) -> bool:
        return self.style != "placeholders"

    def _settled(self, draft: Draft, seen: list[Span], known: KnownSearch, *, harder: bool) -> bool:
        """Whether the draft, read again, holds nothing but its surrogates; if not, more of the original is taken."""
        missed = [place for one in seen for place in draft.origin(one.start, one.end, one.category)]
        blots = []
        for one in known.find(draft.text):
            missed += draft.origin(one.start, one.end, one.category)
            if one.category is not Category.DATE:  # a moved date may fall on another of the person's dates
                blots += [surrogate.found for surrogate in draft.standing_at(one.start, one.end)]
        blots = [one for one in blots if one not in draft.removed]
        if not missed and not blots:
            return True
        if blots:
            draft.blot_out(blots, whole_lines=False)
        if missed and harder:
            draft.blot_out(missed, whole_lines=True)
        elif missed:
            draft.add(missed)
        return False

    def _finished(self, draft: Draft, known: KnownSearch) -> CleanedText:
        if self._rewriter is None:
            return CleanedText(draft.text, tuple(draft.found))
        blanks = Draft(draft.original, Surrogates(draft.surrogates.person, realistic=False), list(draft.found))
        rewritten = self._rewriter.rewrite(blanks.text)
        if rewritten is None or self.find(rewritten, known):
            return CleanedText(draft.text, tuple(draft.found), not_rewritten=True)
        return CleanedText(rewritten, tuple(draft.found))

    def _find_many(
        self, texts: Sequence[str], knowns: Sequence[KnownSearch | None], *, phrase: bool = False
    ) -> list[list[Span]]:
        views = [NormalisedText.of(text) for text in texts]
        legible = [view.text for view in views]
        seen = [self._seen_in_phrase(text) for text in legible] if phrase else self._seen(legible)
        return [
            view.in_original(merged(view.text, known.find(view.text) if known else (), own))
            for view, known, own in zip(views, knowns, seen, strict=True)
        ]

    def _seen(self, texts: Sequence[str]) -> list[list[Span]]:
        """What rules and tagger find, whoever the text is about."""
        return [found_in(text, tagged) for text, tagged in zip(texts, self._tagged(texts), strict=True)]

    def _seen_in_phrase(self, text: str) -> list[Span]:
        """The same few descriptions stand in file after file."""
        seen = self._phrases.get(text)
        if seen is None:
            tagged = self._tagged([text])[0] if len(text.split()) >= _WORDS_FOR_TAGGER else None
            seen = found_in(text, tagged, phrase=True)
            if len(self._phrases) >= _REMEMBERED_PHRASES:
                self._phrases.clear()
            self._phrases[text] = seen
        return seen

    def _tagged(self, texts: Sequence[str]) -> Sequence[TaggedText | None]:
        if self._tagger is None or not texts:
            return [None for _ in texts]
        return self._tagger.tag(texts)


def _refused(text: str) -> Quarantined | None:
    if len(text) > _LONGEST:
        return Quarantined("report too long to be checked")
    return Quarantined("text that shows its readers something else than it says") if is_deceptive(text) else None


def _or_raise(result: CleanedText | Quarantined) -> CleanedText:
    if isinstance(result, Quarantined):
        raise result
    return result


@lru_cache(maxsize=256)
def _tools(person: Person, realistic: bool) -> tuple[KnownSearch, Surrogates]:
    """What is searched for and what stands for it; the person's number in the archive is known as well."""
    own = (Known(Category.MRN, person.patient_id),) if len(person.patient_id) >= _LEAST_ID else ()
    return search_for((*person.known, *own)), Surrogates(person, realistic=realistic)

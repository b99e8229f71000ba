"""Reports made free of identifiers: rules, tagger and what is known of the person find them, surrogates replace them,
and the result is searched again for what is known before it is believed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import zip_longest
from typing import TYPE_CHECKING, Literal, Protocol

from medveil.defenses.reports.draft import Draft
from medveil.defenses.reports.finding import found_in
from medveil.defenses.reports.merging import merged
from medveil.defenses.reports.rewriting import DATES, STYLES, Dates, Rewriter, Style
from medveil.defenses.reports.rewriting_check import leaks
from medveil.defenses.reports.rules.languages import is_read
from medveil.errors import Quarantined, SettingsError
from medveil.person.identifiers import Category
from medveil.person.normalised import NormalisedText, is_deceptive
from medveil.person.person import Person
from medveil.person.search.known import KnownSearch, search_of
from medveil.person.span import Span
from medveil.person.surrogates.surrogates import Surrogates

if TYPE_CHECKING:
    from medveil.defenses.reports.tagger.tagged_text import TaggedText

UNCLEAN = "report that could not be cleaned"
_ROUNDS = 3
_LONGEST = 1_000_000  # characters: a report is not a book, and a book is not looked through by anybody
_WORDS_FOR_TAGGER = 5  # a phrase shorter than this has nothing to read a word by
_REMEMBERED_PHRASES = 4096  # in memory alone, and forgotten together

Reading = tuple[NormalisedText, "TaggedText | None"]  # how a text looks, and what the network says of it


class Rewrites(Protocol):
    """What writes a text with placeholders anew; None where it cannot do so without loss."""

    def rewrite(self, censored: str) -> str | None: ...


class Tags(Protocol):
    """What reads texts word by word: the bundled tagger, or a user's own."""

    def tag(self, texts: Sequence[str]) -> Sequence[TaggedText]: ...


@dataclass(frozen=True)
class CleanedText:
    """The text to release, and what was found at which places of the original.

    `not_rewritten`: rewriting was asked for, and lost content; the text has surrogates instead.
    """

    text: str
    found: tuple[Span, ...]
    not_rewritten: bool = False


class ReportCleaner:
    """`tagger` is the bundled network, another one or a user's own, or None for rules alone.

    Style "rewritten" is the work of the bundled rewriter, or of a model named by `rewriter`. A text on which clinical
    content would be lost gets surrogates, and `CleanedText.not_rewritten` says so.
    """

    def __init__(
        self,
        *,
        style: Style = "surrogates",
        dates: Dates = "moved",
        rewriter: str | None = None,
        tagger: Tags | Literal["bundled"] | None = "bundled",
    ) -> None:
        if style not in STYLES:
            raise SettingsError(f"there is no report style of that name; choose {', '.join(STYLES)}")
        if dates not in DATES:
            raise SettingsError(f"there are no report dates of that kind; choose {', '.join(DATES)}")
        if rewriter is not None and style != "rewritten":
            raise SettingsError("a rewriting model is named but the report style is not rewritten; choose that style")
        self.style = style
        self.dates = dates
        self._named = Rewriter(rewriter) if rewriter is not None else None
        self._chosen = tagger
        self._phrases: dict[str, list[Span]] = {}

    @cached_property
    def _rewriter(self) -> Rewrites | None:
        if self.style != "rewritten":
            return None
        from medveil.defenses.reports.rewriter.rewriter import BundledRewriter

        return self._named or BundledRewriter.bundled()

    @cached_property
    def _tagger(self) -> Tags | None:
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
        tools = [_tools(person, self._realistic and not phrase, self._years) for person in persons]
        results: list[CleanedText | Quarantined | None] = [_refused(text) for text in texts]
        drafts: dict[int, Draft] = {}
        readable = ["" if refused else text for text, refused in zip(texts, results, strict=True)]
        readings = self._read(readable, phrase=phrase)
        for place, (text, (known, surrogates), reading) in enumerate(zip(texts, tools, readings, strict=True)):
            if results[place] is None:
                seen = self._found(reading, known, phrase=phrase)
                if seen:
                    drafts[place] = Draft(text, surrogates, seen)
                else:
                    results[place] = CleanedText(text, ())
        for turn in range(_ROUNDS + 2):
            waiting = [place for place in drafts if results[place] is None]
            if not waiting:
                break
            # where something known was left, other things may have been
            again = self._read([drafts[place].text for place in waiting], phrase=phrase) if turn else []
            for place, reading in zip_longest(waiting, again):
                draft, (known, _) = drafts[place], tools[place]
                seen = self._found(reading, None, phrase=phrase) if reading else []
                if self._settled(draft, seen, known, harder=turn >= _ROUNDS):
                    results[place] = self._finished(draft, known)
        return [result if result is not None else Quarantined(UNCLEAN) for result in results]

    @property
    def _realistic(self) -> bool:
        return self.style != "placeholders"

    @property
    def _years(self) -> bool:
        return self.style == "safe-harbor" or self.dates == "years"

    def _settled(self, draft: Draft, seen: list[Span], known: KnownSearch, *, harder: bool) -> bool:
        """Whether the draft holds nothing that is known, or was seen in it; if not, more of the original is taken.

        What is seen at a surrogate is the surrogate, and says nothing of the words beside it.
        """
        apart = (one for one in seen if not draft.standing_at(one.start, one.end))
        missed = [place for one in apart for place in draft.origin(one.start, one.end, one.category)]
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
        if self._rewriter is None or not draft.surrogates.realistic:  # a phrase keeps its placeholders
            return CleanedText(draft.text, tuple(draft.found))
        plain = Surrogates(draft.surrogates.person, realistic=False, years=self._years)
        blanks = Draft(draft.original, plain, list(draft.found))
        rewritten = self._rewriter.rewrite(blanks.text)
        if rewritten is None or leaks(rewritten, self.find(rewritten), blanks, known):
            return CleanedText(draft.text, tuple(draft.found), not_rewritten=True)
        return CleanedText(rewritten, tuple(draft.found))

    def _find_many(self, texts: Sequence[str], knowns: Sequence[KnownSearch | None]) -> list[list[Span]]:
        return [
            self._found(reading, known, phrase=False)
            for reading, known in zip(self._read(texts, phrase=False), knowns, strict=True)
        ]

    def _read(self, texts: Sequence[str], *, phrase: bool) -> list[Reading]:
        """Phrases are read one by one, when they are not remembered."""
        views = [NormalisedText.of(text) for text in texts]
        tagged = [None] * len(views) if phrase else self._tagged([view.text for view in views])
        return list(zip(views, tagged, strict=True))

    def _found(self, reading: Reading, known: KnownSearch | None, *, phrase: bool) -> list[Span]:
        view, tagged = reading
        own = known.find(view.text) if known else []
        alone = view.text.strip(" .\r\n").isalpha()  # Clear. and Good. are names too: a network cannot tell by itself
        seen = self._seen_in_phrase(view.text) if phrase or alone else found_in(view.text, tagged)
        return view.in_original(merged(view.text, own, seen))

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
    if not is_read(text):
        return Quarantined("report in a language that is not read here")
    return Quarantined("text that shows its readers something else than it says") if is_deceptive(text) else None


def _or_raise(result: CleanedText | Quarantined) -> CleanedText:
    if isinstance(result, Quarantined):
        raise result
    return result


@lru_cache(maxsize=256)
def _tools(person: Person, realistic: bool, years: bool) -> tuple[KnownSearch, Surrogates]:
    """What is searched for and what stands for it."""
    return search_of(person), Surrogates(person, realistic=realistic, years=years)

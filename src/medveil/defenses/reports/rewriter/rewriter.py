"""The bundled rewriter at work: a text with placeholders in, the same text without them out."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

import torch
from torch import Tensor

from medveil.defenses.reports.rewriter.edits import Changes, assembled, tidied
from medveil.defenses.reports.rewriter.faithfulness import is_faithful
from medveil.defenses.reports.rewriter.model_file import RewriterModel, load_model
from medveil.defenses.reports.rewriter.network import KEEP, LEAVE, WRITE, gap_of, word_table
from medveil.defenses.reports.rewriter.plain_words import may_go, may_stand_for, stood_for
from medveil.defenses.reports.rewriter.tokens import OLD, Token, read, sentences
from medveil.defenses.reports.rules.languages import language_of
from medveil.runtime.threads import one_torch_thread

_SURE = 0.9  # that somebody is the patient, where it is not known; else it is someone, or nobody
_MOST = 6  # words written in a row
_WINDOW = 4000  # words read at once; a longer text in parts, each by itself


class BundledRewriter:
    def __init__(self, model: RewriterModel) -> None:
        self.model = model

    @classmethod
    def bundled(cls) -> BundledRewriter:
        from medveil.weights.bundled import bundled

        return cls(_loaded(bundled("rewriter")))

    def rewrite(self, censored: str) -> str | None:
        """None where more would change than may, and for texts that are not in English, which is all it writes."""
        if language_of(censored) != "en":
            return None
        source = censored.replace(OLD, "90+")
        tokens = read(source)
        changes: Changes = {}
        with torch.inference_mode(), one_torch_thread():
            for start in range(0, len(tokens), _WINDOW):
                part = tokens[start : start + _WINDOW]
                changes |= {start + place: change for place, change in self._changes(part).items()}
        rewritten = assembled(source, tokens, changes)
        return rewritten if is_faithful(source, rewritten, self.model.plain) else None

    def _changes(self, tokens: Sequence[Token]) -> Changes:
        own = sentences(tokens)
        if not own:
            return {}
        free = may_go(tokens, self.model.plain)
        said = self._decoded(self._encoded(tokens, free), tokens, own, free)
        changes: Changes = {}
        for sentence, done in zip(own, said, strict=True):
            changes |= tidied(tokens, sentence, done, free)
        return changes

    def _encoded(self, tokens: Sequence[Token], free: Sequence[bool]) -> Tensor:
        encoder = self.model.network.encoder
        distinct = {word: place for place, word in enumerate(dict.fromkeys((one.text, one.kind) for one in tokens), 1)}
        vectors = encoder.each(word_table(list(distinct), self.model.network.sizes))
        rows = torch.tensor([[distinct[one.text, one.kind] for one in tokens]])
        gaps = torch.tensor([[gap_of(one, place) for place, one in enumerate(tokens)]])
        return encoder(vectors, rows, gaps, torch.tensor([list(map(int, free))]))[0]

    def _decoded(
        self, words: Tensor, tokens: Sequence[Token], own: Sequence[range], free: Sequence[bool]
    ) -> list[Changes]:
        """All sentences beside one another, each at a word of its own."""
        network, actions = self.model.network, WRITE + len(self.model.plain.written)
        places = torch.tensor([sentence.start for sentence in own])
        stops = torch.tensor([sentence.stop for sentence in own])
        meant = stood_for(tokens, free)
        barred = self._barred(meant, known=any(one.kind == "PATIENT" for one in tokens))
        named = torch.tensor([kind == "NAME" for kind, _ in meant])
        patient = torch.tensor([False] * WRITE + [word in ("the", "patient") for word in self.model.plain.written])
        blank, loose = torch.tensor([bool(one.kind) for one in tokens]), torch.tensor(list(free))
        said = torch.full((len(own),), actions)
        row = torch.zeros(len(own), dtype=torch.int64)  # words written in a row
        state: Tensor | None = None
        done: list[Changes] = [{} for _ in own]
        written: list[list[str]] = [[] for _ in own]
        while bool((places < stops).any()):
            here = places.clamp(max=len(tokens) - 1)
            scores, state = network.decode(words[here].unsqueeze(1), said.unsqueeze(1), state)
            scores = scores[:, 0]
            scores[blank[here] | (row > 0), KEEP] = -torch.inf
            scores[~loose[here], LEAVE] = -torch.inf
            scores[~loose[here] | (row >= _MOST), WRITE:] = -torch.inf
            scores[:, WRITE:].masked_fill_(barred[here], -torch.inf)
            doubtful = named[here] & (row == 0) & (scores.softmax(1)[:, patient].sum(1) < _SURE)
            scores.masked_fill_(doubtful.unsqueeze(1) & patient, -torch.inf)
            said = scores.argmax(1)
            for number, (place, stop, action) in enumerate(
                zip(places.tolist(), stops.tolist(), said.tolist(), strict=True)
            ):
                if place >= stop:
                    continue
                if action >= WRITE:
                    written[number].append(self.model.plain.written[action - WRITE])
                else:
                    done[number][place] = (action == LEAVE, tuple(written[number]))
                    written[number].clear()
            row = torch.where(said >= WRITE, row + 1, 0)
            places = places + (said < WRITE)
        return done

    def _barred(self, meant: Sequence[tuple[str, bool]], *, known: bool) -> Tensor:
        """Words that may not be written at each place, for what stands there."""
        places = {one: place for place, one in enumerate(dict.fromkeys(meant))}
        rows = [
            [not may_stand_for(word, kind, titled=titled, known=known) for word in self.model.plain.written]
            for kind, titled in places
        ]
        return torch.tensor(rows)[torch.tensor([places[one] for one in meant])]


@lru_cache(maxsize=2)
def _loaded(path: Path) -> RewriterModel:
    return load_model(path)

"""`Judge`: a language model that says whether an answer means what the reference means."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass, field

from medveil.utility.vqa.judge.prompts import PROMPTS, SCHEMA, TOKENS, Wording
from medveil.utility.vqa.judge.reply import Judgement, read_reply

Chat = Callable[[str, str], str]  # the reply to a system's and a user's message
Ask = Callable[[str, str, str], Judgement]  # of question, reference and answer
NOTHING_SAID = Judgement(0, "no letter and no digit")


@dataclass(frozen=True)
class Judge:
    """`chat` is greedy: the same words have the same reply. `model` stands for its weights, or names its endpoint;
    `lasting` is false of a name, behind which another model may answer tomorrow."""

    name: str
    model: str
    chat: Chat = field(repr=False)
    wording: Wording = "ours"
    lasting: bool = True

    @property
    def fingerprint(self) -> str:
        """Kept judgements belong to it."""
        prompt = PROMPTS[self.wording]
        told = [self.model, self.wording, prompt.system, prompt.user("", "", ""), SCHEMA, TOKENS]
        return hashlib.sha256(json.dumps(told).encode()).hexdigest()

    def ask(self, question: str, reference: str, answer: str) -> Judgement:
        """What the judge itself says, of any answer."""
        prompt = PROMPTS[self.wording]
        return read_reply(self.chat(prompt.system, prompt.user(question, reference, answer)))


def grade(ask: Ask, question: str, reference: str, answer: str) -> Judgement:
    """An answer without a letter or a digit is wrong, whatever the judge would say."""
    return ask(question, reference, answer) if any(map(str.isalnum, answer)) else NOTHING_SAID

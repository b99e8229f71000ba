"""Judges over a real socket and in a folder: asked with the schema, and hostile replies counted as failures."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from medveil.encoders.published.libraries import library
from medveil.errors import InputError, SettingsError
from medveil.utility.vqa.judge.loading import KEY, load_judge
from medveil.utility.vqa.judge.prompts import PROMPTS, SCHEMA, TOKENS
from medveil.utility.vqa.judge.text_model import TextModel
from medveil.utility.vqa.models.connection import EndpointError

TRIPLE = ("Is there a mass?", "no", "no mass")


def test_a_judge_behind_an_endpoint_is_asked_with_the_schema(
    loopback: Any, chat_reply: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(KEY, raising=False)
    server = loopback(chat_reply('```json\n{"score": 1, "reason": "same {braces}"}\n```'))
    judge = load_judge("llama", endpoint=server.url, wording="paper")
    judged = judge.ask(*TRIPLE)
    assert (judged.score, judged.reason, judged.read) == (1, "same {braces}", True)
    head, _, body = server.requests[0].partition(b"\r\n\r\n")
    sent = json.loads(body)
    assert sent["temperature"] == 0 and sent["max_tokens"] == TOKENS and b"Authorization" not in head
    assert sent["response_format"]["json_schema"]["schema"] == SCHEMA
    assert [each["role"] for each in sent["messages"]] == ["system", "user"]
    assert sent["messages"][0]["content"] == PROMPTS["paper"].system
    assert "A (Model answer): no mass" in sent["messages"][1]["content"]
    assert not judge.lasting, "another model may stand behind the name tomorrow"
    assert judge.name.startswith("llama at 127.0.0.1") or judge.name.startswith("llama at localhost")


@pytest.mark.parametrize("reply", ["", "yes, that is right", '{"score": 1', "[1]" * 1000])
def test_a_reply_that_is_no_verdict_is_a_failure(loopback: Any, chat_reply: Any, reply: str) -> None:
    judged = load_judge("llama", endpoint=loopback(chat_reply(reply)).url).ask(*TRIPLE)
    assert (judged.score, judged.read) == (0, False)


def test_a_broken_endpoint_stops_the_run_instead_of_scoring_zero(loopback: Any) -> None:
    with pytest.raises(EndpointError):
        load_judge("llama", endpoint=loopback(b"HTTP/1.1 500 No\r\nContent-Length: 0\r\n\r\n").url).ask(*TRIPLE)


def test_what_is_no_judge_is_refused_in_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="no judge called"):
        load_judge("nothing here")
    with pytest.raises(InputError, match="safetensors"):
        load_judge(str(tmp_path))
    with pytest.raises(SettingsError, match="ours, paper"):
        load_judge("llama", wording="theirs")  # type: ignore[arg-type]


def llama(folder: Path, template: str) -> None:
    """A chat model of text as small as one can be, in the layout that transformers saves."""
    tokenizers, transformers = library("tokenizers"), library("transformers")
    words = ["<pad>", "<bos>", "<eos>", "<unk>", *"yes no mass is there a score { } : 0 1".split()]
    made = tokenizers.Tokenizer(
        tokenizers.models.WordLevel({word: place for place, word in enumerate(words)}, unk_token="<unk>")
    )
    made.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    marks = {"pad_token": "<pad>", "bos_token": "<bos>", "eos_token": "<eos>", "unk_token": "<unk>"}
    fast = transformers.PreTrainedTokenizerFast(tokenizer_object=made, **marks)
    fast.chat_template = template
    fast.save_pretrained(folder)
    small = {"hidden_size": 32, "intermediate_size": 32, "num_hidden_layers": 1, "num_attention_heads": 2}
    config = transformers.LlamaConfig(vocab_size=len(words), eos_token_id=2, pad_token_id=0, **small)
    transformers.LlamaForCausalLM(config).save_pretrained(folder)


CHAT = "{% for message in messages %}{{ message['role'] }} : {{ message['content'] }} {% endfor %}"
WITHOUT_SYSTEM = "{% if messages[0]['role'] == 'system' %}{{ raise_exception('no system') }}{% endif %}" + CHAT


@pytest.mark.parametrize("template", [CHAT, WITHOUT_SYSTEM])
def test_a_text_model_in_a_folder_judges_the_same_every_time(tmp_path: Path, template: str) -> None:
    llama(tmp_path / "llama", template)
    judge = load_judge(str(tmp_path / "llama"))
    replies = {judge.chat("Score it.", "yes no mass") for _ in range(2)}
    assert len(replies) == 1 and judge.name == "llama"
    assert judge.fingerprint == load_judge(str(tmp_path / "llama")).fingerprint
    assert judge.ask(*TRIPLE).score in (0, 1)


def test_a_folder_without_a_chat_or_with_missing_weights_is_refused(tmp_path: Path) -> None:
    llama(tmp_path, "")
    with pytest.raises(InputError, match="chat template"):
        TextModel(tmp_path)
    config = json.loads((tmp_path / "config.json").read_text())
    (tmp_path / "config.json").write_text(json.dumps(config | {"num_hidden_layers": 3}))
    with pytest.raises(InputError, match="not those of the model"):
        TextModel(tmp_path)

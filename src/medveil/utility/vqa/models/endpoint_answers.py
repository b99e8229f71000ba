"""`EndpointAnswers`: the model behind an endpoint, asked about images."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence
from typing import Any

import cv2
import numpy as np

from medveil.utility.vqa.model import Query, one_by_one, prompt
from medveil.utility.vqa.models.endpoint import Endpoint
from medveil.utility.vqa.question import Image

INSTRUCTION = (
    "You answer questions on medical images. Reply with the answer alone, in as few words as possible. "
    "If the question can be answered with yes or no, reply with yes or no."
)
LONGEST = 4_000  # characters of an answer that are kept; a server may send a book


class EndpointAnswers:
    """Pixels are sent as PNG made from the array alone: nothing that lay beside them in a file goes along."""

    license = "that of the endpoint's operator"

    def __init__(self, endpoint: Endpoint) -> None:
        self.name = f"{endpoint.model} at {endpoint.place}"
        self.fingerprint = hashlib.sha256(f"{self.name}\n{INSTRUCTION}".encode()).hexdigest()
        self._endpoint = endpoint

    def answer(self, image: Image | None, question: str, note: str | None = None) -> str:
        parts: list[dict[str, Any]] = [{"type": "text", "text": prompt(question, note)}]
        if image is not None:
            parts.insert(0, {"type": "image_url", "image_url": {"url": as_data_url(image)}})
        said = self._endpoint.chat([{"role": "system", "content": INSTRUCTION}, {"role": "user", "content": parts}])
        return said[:LONGEST].strip()

    def answer_many(self, queries: Sequence[Query]) -> list[str]:
        return one_by_one(self, queries)


def as_data_url(image: Image) -> str:
    """The pixels as PNG, in text."""
    ordered = image if image.ndim == 2 else np.ascontiguousarray(image[..., ::-1])  # OpenCV's order of colours
    _, encoded = cv2.imencode(".png", ordered)
    return "data:image/png;base64," + base64.b64encode(encoded.tobytes()).decode()

"""A model that answers, by its name, from a folder, from the hub or behind an endpoint."""

from __future__ import annotations

import os
from pathlib import Path

from medveil.encoders.loading import HUB_NAME
from medveil.errors import SettingsError
from medveil.training.device import check_device
from medveil.utility.vqa.model import AnswerModel

BUNDLED = "medveil-answers"
KEY = "MEDVEIL_ENDPOINT_KEY"  # of the environment: on a command line other users of the machine would see it


def load_answers(
    name: str = BUNDLED, *, device: str = "cpu", endpoint: str | None = None, consent: str | None = None
) -> AnswerModel:
    """The bundled model, one in a local folder, one of the hub by "owner/model", or one that an endpoint calls so."""
    if endpoint is not None:
        from medveil.utility.vqa.models.endpoint import Endpoint
        from medveil.utility.vqa.models.endpoint_answers import EndpointAnswers

        if name == BUNDLED:
            raise SettingsError("an endpoint must be told which of its models to use; name it with --model")
        return EndpointAnswers(Endpoint(endpoint, name, consent=consent, key=os.environ.get(KEY)))
    if consent is not None:
        raise SettingsError("--consent is for an endpoint; give its address with --endpoint")
    check_device(device)
    if name == BUNDLED:
        from medveil.utility.vqa.models.answers.answering import load_bundled

        return load_bundled(device)
    from medveil.utility.vqa.models.published import PublishedModel

    if Path(name).is_dir():
        return PublishedModel(Path(name), name=Path(name).resolve().name, device=device)
    if HUB_NAME.fullmatch(name):
        from medveil.encoders.published.hub import fetch

        return PublishedModel(fetch(name), name=name, device=device)
    raise SettingsError(
        f"there is no answer model called {name}; give {BUNDLED}, a folder that holds a model, or the owner/model "
        "name of one on the hub"
    )

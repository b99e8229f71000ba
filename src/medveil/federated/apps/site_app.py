"""A site's app: Flower's messages in, a participant's answers out."""

from __future__ import annotations

from collections.abc import Callable

from flwr.app import Context, Message, RecordDict
from flwr.clientapp import ClientApp

from medveil.errors import MedveilError
from medveil.federated.apps.records import packed, size_of, unpacked
from medveil.federated.participant import Participant

TRAIN, QUERY = ("update", "masked"), ("introduce", "keys", "shares", "agreed", "opened", "over")


def message_type(asked: str) -> str:
    return f"{'train' if asked in TRAIN else 'query'}.{asked}"


def site_app(participant: Callable[[Context], Participant]) -> ClientApp:
    """Of the participant that belongs to a message's context."""
    app = ClientApp()

    def duty(asked: str) -> Callable[[Message, Context], Message]:
        def answer(message: Message, context: Context) -> Message:
            try:
                told, arrays = unpacked(message.content)
            except MedveilError:
                return Message(packed({"refusal": "version"}), reply_to=message)
            mine = participant(context)
            reply = mine.answer(asked, told, arrays)
            content = packed(reply.told, reply.arrays)
            try:
                mine.left(asked, told.get("round"), size_of(content))
            except (MedveilError, OSError):
                content = packed({"refusal": "disk"})  # what cannot be entered does not leave
            return Message(content, reply_to=message)

        return answer

    for asked in TRAIN:
        app.train(asked)(duty(asked))
    for asked in QUERY:
        app.query(asked)(duty(asked))
    return app


def no_context() -> Context:
    """Of a site outside a simulation: what it keeps is in its own folder."""
    return Context(run_id=0, node_id=0, node_config={}, state=RecordDict(), run_config={})

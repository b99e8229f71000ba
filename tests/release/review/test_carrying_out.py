"""What a person decided is done to the pixel, noted, checked and kept by later runs; what cannot be is refused."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from medveil.cli import app
from medveil.cohort.images import load_image
from medveil.defenses.pixels.removal import DOUBTFUL
from medveil.errors import InputError, SettingsError
from medveil.person.keys import Keys
from medveil.release.clean.records import STILL_READ, broken_seals, seal_records, withdraw
from medveil.release.clean.reviewed import Reviewed
from medveil.release.review.carrying_out import carry_out
from medveil.release.verify.manifest import check_manifest
from medveil.release.verify.run import verify
from medveil.runtime.journal import journal_sha256

Chosen = Callable[..., dict[str, Any]]


def original(output: Any, name: str) -> Any:
    (path,) = output.source.rglob(f"{name}.*")
    return load_image(output.source, path.relative_to(output.source).as_posix())


def part(picture: Any, box: list[int]) -> Any:
    return picture[box[1] : box[3], box[0] : box[2]]


def quarantine(output: Any) -> list[str]:
    with (output.out / "quarantine.csv").open() as file:
        return [row["reason"] for row in csv.DictReader(file)]


def bytes_of(out: Path) -> dict[str, bytes]:
    return {path.as_posix(): path.read_bytes() for path in sorted(out.rglob("*")) if path.is_file()}


class TestDone:
    def test_a_restored_region_has_its_pixels_back_and_the_check_knows_it(
        self, output: Any, keys: Keys, chosen: Chosen, tmp_path: Path
    ) -> None:
        verify(output.out, output.source, keys=keys, workers=1)
        box = output.box("a", "FRAGILE GLASS")
        assert not np.array_equal(part(output.released("a"), box), part(original(output, "a"), box))
        done = carry_out(
            output.out,
            output.decide(tmp_path / "d.json", a=chosen(keep=[box])),
            keys=keys,
            source=output.source,
            reviewer="AB",
            workers=1,
        )
        assert (done.exit_code, done.changed, done.refused) == (0, (output.places["a"],), ())
        assert np.array_equal(part(output.released("a"), box), part(original(output, "a"), box))
        name = output.box("a", "PEMBERTON")
        assert not np.array_equal(part(output.released("a"), name), part(original(output, "a"), name))
        assert check_manifest(output.out) == []  # checked and signed anew
        told = json.loads((output.out / "verify.json").read_text())
        assert told["leaks"] == 0 < told["kept_by_review"]
        assert "kept by review" in (output.out / "discrepancies.csv").read_text()

    def test_an_added_rectangle_goes_and_nothing_else(
        self, output: Any, keys: Keys, chosen: Chosen, tmp_path: Path
    ) -> None:
        box = [100, 200, 180, 230]
        before = output.released("c")
        decisions = output.decide(tmp_path / "d.json", c=chosen(remove=[box]))
        assert carry_out(output.out, decisions, keys=keys, source=output.source, workers=1).exit_code == 0
        after = output.released("c")
        assert len(np.unique(part(after, box))) == 1 < len(np.unique(part(before, box)))
        changed = before != after
        part(changed, box)[:] = False
        assert not changed.any()
        pixels = json.loads((output.out / "deid.json").read_text())["pixels"]
        assert (pixels["removed_by_review"], pixels["kept_by_review"]) == (1, 0)

    def test_a_withheld_film_is_released_once_a_person_says_that_it_is_no_text(
        self, output: Any, keys: Keys, chosen: Chosen, tmp_path: Path
    ) -> None:
        assert not output.is_released("b") and quarantine(output) == [DOUBTFUL]
        box = output.box("b", "WIRE LOOP")
        decisions = output.decide(tmp_path / "d.json", b=chosen(keep=[box], accept=True))
        done = carry_out(output.out, decisions, keys=keys, source=output.source, workers=1)
        assert (done.exit_code, done.released) == (0, (output.places["b"],))
        assert np.array_equal(part(output.released("b"), box), part(original(output, "b"), box))
        assert quarantine(output) == []
        files = json.loads((output.out / "deid.json").read_text())["files"]
        assert (files["released"], files["withheld"]) == (3, 0)
        assert broken_seals(output.out, keys) == []

    def test_a_film_that_the_check_withdrew_is_taken_back(
        self, output: Any, keys: Keys, chosen: Chosen, tmp_path: Path
    ) -> None:
        box = [100, 200, 180, 230]
        withdraw(output.out, {output.places["c"]: STILL_READ, output.places["a"]: STILL_READ})
        seal_records(output.out, keys)
        assert not output.is_released("c") and sorted(quarantine(output)) == [DOUBTFUL, STILL_READ, STILL_READ]
        decisions = output.decide(tmp_path / "d.json", c=chosen(keep=[box], accept=True))
        done = carry_out(output.out, decisions, keys=keys, source=output.source, workers=1)
        assert (done.exit_code, done.released) == (0, (output.places["c"],))
        assert output.is_released("c") and not output.is_released("a"), "what nobody decided about stays away"
        assert sorted(quarantine(output)) == [DOUBTFUL, STILL_READ] and broken_seals(output.out, keys) == []

    def test_a_withheld_film_whose_doubtful_region_is_text_is_released_without_it(
        self, dicom: Any, keys: Keys, chosen: Chosen, tmp_path: Path
    ) -> None:
        box = dicom.box("b", "WIRE LOOP")
        decisions = dicom.decide(tmp_path / "d.json", b=chosen(remove=[box], accept=True))
        assert carry_out(dicom.out, decisions, keys=keys, source=dicom.source, workers=1).exit_code == 0
        assert len(np.unique(part(dicom.released("b"), box))) == 1
        outcome = verify(dicom.out, dicom.source, keys=keys, workers=1)
        assert (outcome.leaks, outcome.kept_by_review) == (0, 0)

    def test_what_is_rejected_leaves_and_a_withheld_film_stays_behind(
        self, output: Any, keys: Keys, tmp_path: Path
    ) -> None:
        reject = {"decision": "reject"}
        decisions = output.decide(tmp_path / "d.json", a=reject, b=reject)
        done = carry_out(output.out, decisions, keys=keys)  # without the originals
        assert done.rejected == tuple(sorted((output.places["a"], output.places["b"])))
        assert not output.is_released("a") and output.is_released("c")
        assert quarantine(output) == ["rejected in review"] * 2
        counted = json.loads((output.out / "deid.json").read_text())
        assert counted["files"]["released"] == 1 and counted["quarantined"] == {"rejected in review": 2}
        output.repeat()
        assert quarantine(output) == ["rejected in review"] * 2
        assert json.loads((output.out / "deid.json").read_text()) == counted
        assert broken_seals(output.out, keys) == []

    def test_who_decided_what_and_when_is_noted_under_seal(
        self, dicom: Any, keys: Keys, chosen: Chosen, tmp_path: Path
    ) -> None:
        box = dicom.box("a", "FRAGILE GLASS")
        decided = {"a": chosen(keep=[box]) | {"note": "spoke to Mrs Pemberton"}, "c": {"decision": "reject"}}
        decisions = dicom.decide(tmp_path / "d.json", **decided)
        carry_out(dicom.out, decisions, keys=keys, source=dicom.source, reviewer="radiologist 2", workers=1)
        text = (dicom.out / "reviewed.json").read_text()
        assert "Mrs" not in text  # notes may name somebody
        (session,) = json.loads(text)["sessions"]
        assert (session["reviewer"], session["accepted"]) == ("radiologist 2", [dicom.places["a"]])
        assert (session["rejected"], session["changed"]) == ([dicom.places["c"]], [dicom.places["a"]])
        assert session["when"] and len(session["digest"]) == 64
        assert broken_seals(dicom.out, keys) == []


class TestKept:
    def test_a_second_time_nothing_changes(self, output: Any, keys: Keys, chosen: Chosen, tmp_path: Path) -> None:
        box = output.box("a", "FRAGILE GLASS")
        decisions = output.decide(tmp_path / "d.json", a=chosen(keep=[box]), c={"decision": "reject"})
        carry_out(output.out, decisions, keys=keys, source=output.source, workers=1)
        before = bytes_of(output.out)
        again = carry_out(output.out, decisions, keys=keys, source=output.source, workers=1)
        assert again.again and again.exit_code == 0
        assert bytes_of(output.out) == before

    def test_a_later_run_heeds_it_and_changes_nothing(
        self, output: Any, keys: Keys, chosen: Chosen, tmp_path: Path
    ) -> None:
        box = output.box("b", "WIRE LOOP")
        decisions = output.decide(tmp_path / "d.json", b=chosen(keep=[box], accept=True))
        carry_out(output.out, decisions, keys=keys, source=output.source, workers=1)
        before, journal = bytes_of(output.out / "data"), journal_sha256(output.out / "journal.sqlite")
        output.repeat()
        assert bytes_of(output.out / "data") == before
        assert journal_sha256(output.out / "journal.sqlite") == journal

    def test_a_region_can_be_removed_again(self, dicom: Any, keys: Keys, chosen: Chosen, tmp_path: Path) -> None:
        before = bytes_of(dicom.out / "data")
        for number, keep in enumerate(([dicom.box("a", "FRAGILE GLASS")], [])):
            decisions = dicom.decide(tmp_path / f"{number}.json", a=chosen(keep=keep))
            carry_out(dicom.out, decisions, keys=keys, source=dicom.source, workers=1)
            assert (bytes_of(dicom.out / "data") == before) is (not keep)
        assert Reviewed.of(dicom.out, keys).films == {}

    def test_a_killed_review_is_finished_by_the_same_command(
        self, dicom: Any, keys: Keys, chosen: Chosen, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        from medveil.release.clean import run

        box = dicom.box("b", "WIRE LOOP")
        decisions = dicom.decide(tmp_path / "d.json", b=chosen(keep=[box], accept=True))

        def killed(*rest: object) -> None:
            raise KeyboardInterrupt

        with monkeypatch.context() as patch:
            patch.setattr(run, "write_quarantine", killed)
            with pytest.raises(KeyboardInterrupt):
                carry_out(dicom.out, decisions, keys=keys, source=dicom.source, workers=1)
        assert broken_seals(dicom.out, keys)
        done = carry_out(dicom.out, decisions, keys=keys, source=dicom.source, workers=1)
        assert done.exit_code == 0 and dicom.is_released("b")
        assert broken_seals(dicom.out, keys) == [] and quarantine(dicom) == []
        assert verify(dicom.out, dicom.source, keys=keys, workers=1).leaks == 0


class TestRefused:
    @pytest.mark.parametrize(("output", "name"), [("dicom", "a"), ("table", "b")], indirect=["output"])
    def test_a_region_that_says_what_is_known_of_the_patient_stays_removed(
        self, output: Any, keys: Keys, chosen: Chosen, tmp_path: Path, name: str
    ) -> None:
        was_there, before = output.is_released(name), bytes_of(output.out / "data")
        kept = [output.box(name, "PEMBERTON")]
        kept += [output.box("b", "WIRE LOOP")] if name == "b" else []
        other = [10, 280, 60, 300]
        decisions = output.decide(
            tmp_path / "d.json", **{name: chosen(keep=kept, accept=True), "c": chosen(remove=[other])}
        )
        done = carry_out(output.out, decisions, keys=keys, source=output.source, workers=1)
        assert (done.exit_code, done.refused) == (1, (output.places[name],))
        assert output.is_released(name) is was_there
        after = bytes_of(output.out / "data")
        changed = {Path(path).name for path in after if after[path] != before.get(path)} - {"cohort.parquet"}
        assert changed == {Path(output.places["c"]).name}  # the other decision was carried out
        assert output.places[name] not in Reviewed.of(output.out, keys).films

    def test_what_is_not_of_this_run(self, output: Any, keys: Keys, chosen: Chosen, tmp_path: Path) -> None:
        for sentence, decisions in {
            "another output": output.decide(tmp_path / "1.json", run="other", a=chosen()),
            "not of this run": output.decide(tmp_path / "2.json", **{"ab/cd.dcm": chosen()}),
            "no decision": output.decide(tmp_path / "3.json", a={"decision": "maybe"}),
            "is no decision": output.decide(tmp_path / "4.json", a=chosen(keep=[[5, 5, 5, 9]])),
        }.items():
            with pytest.raises(InputError, match=sentence):
                carry_out(output.out, decisions, keys=keys, source=output.source, workers=1)

    def test_other_originals(self, output: Any, keys: Keys, chosen: Chosen, tmp_path: Path) -> None:
        decisions = output.decide(tmp_path / "d.json", c=chosen(remove=[[5, 5, 20, 20]]))
        with pytest.raises(SettingsError, match="--source"):
            carry_out(output.out, decisions, keys=keys)
        next(output.source.rglob("a.*")).unlink()  # would take the released film of it along
        before = bytes_of(output.out)
        with pytest.raises(InputError, match="made from"):
            carry_out(output.out, decisions, keys=keys, source=output.source, workers=1)
        assert bytes_of(output.out) == before

    def test_choices_that_nobody_with_the_key_wrote(
        self, dicom: Any, keys: Keys, chosen: Chosen, tmp_path: Path
    ) -> None:
        box = dicom.box("a", "FRAGILE GLASS")
        carry_out(
            dicom.out,
            dicom.decide(tmp_path / "d.json", a=chosen(keep=[box])),
            keys=keys,
            source=dicom.source,
            workers=1,
        )
        told = json.loads((dicom.out / "reviewed.json").read_text())
        told["films"][dicom.places["a"]]["0"]["keep"].append(dicom.box("a", "PEMBERTON"))
        (dicom.out / "reviewed.json").write_text(json.dumps(told))
        with pytest.raises(InputError, match="changed since the review"):
            dicom.repeat()
        outcome = verify(dicom.out, dicom.source, keys=keys, workers=1)
        assert "changed since the run" in {one.found for one in outcome.discrepancies}

    def test_the_command_says_so_in_a_sentence(self, dicom: Any, keys: Keys, chosen: Chosen, tmp_path: Path) -> None:
        (tmp_path / "key").write_text(keys.secret.hex())
        decisions = dicom.decide(tmp_path / "d.json", a=chosen(keep=[dicom.box("a", "PEMBERTON")]))
        given = ["--source", dicom.source, "--decisions", decisions, "--key-file", tmp_path / "key", "--workers", 1]
        done = CliRunner().invoke(app, [str(word) for word in ("review", dicom.out, *given)])
        assert done.exit_code == 1
        assert f"{dicom.places['a']}: not done, for a region to be kept says something that is known" in done.output

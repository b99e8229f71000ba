"""The part of a file before its dataset: preamble and file meta information, cleaned to what reading needs."""

from __future__ import annotations

from pydicom.dataset import FileDataset, FileMetaDataset
from pydicom.uid import ExplicitVRBigEndian, ExplicitVRLittleEndian, ImplicitVRLittleEndian

from medveil.defenses.headers.options import Option
from medveil.defenses.headers.profile import Profile
from medveil.defenses.stand_ins import StandIns

IMPLEMENTATION_CLASS = "2.25.313747826103428870411506148107519846153"
IMPLEMENTATION_NAME = "MEDVEIL"
_SYNTAXES = {
    (True, True): ImplicitVRLittleEndian,
    (False, True): ExplicitVRLittleEndian,
    (False, False): ExplicitVRBigEndian,
}


def clean_file_meta(dataset: FileDataset, profile: Profile, stand_ins: StandIns) -> None:
    """Written anew: who sent the file, with what software, and whatever the preamble held do not come along."""
    before = getattr(dataset, "file_meta", None) or FileMetaDataset()
    meta = FileMetaDataset()
    meta.FileMetaInformationVersion = b"\0\1"
    for keyword in ("SOPClassUID", "SOPInstanceUID"):
        # The dataset's own is clean by now, and the two must be one.
        uid, stated = dataset.get(keyword), before.get(f"MediaStorage{keyword}")
        if not uid and stated:
            uid = stated if Option.UIDS in profile.options else stand_ins.uid(str(stated))
        if uid:
            setattr(meta, f"MediaStorage{keyword}", uid)
    meta.TransferSyntaxUID = before.get("TransferSyntaxUID") or _SYNTAXES[dataset.original_encoding]
    meta.ImplementationClassUID = IMPLEMENTATION_CLASS
    meta.ImplementationVersionName = IMPLEMENTATION_NAME
    dataset.file_meta = meta
    dataset.preamble = b"\0" * 128

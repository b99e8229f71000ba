"""The part of a file before its dataset: preamble and file meta information, cleaned to what reading needs."""

from __future__ import annotations

from pydicom.dataset import FileDataset, FileMetaDataset
from pydicom.uid import UID, ExplicitVRBigEndian, ExplicitVRLittleEndian, ImplicitVRLittleEndian

from medveil.defenses.headers.options import Option
from medveil.defenses.headers.profile import Profile
from medveil.errors import Quarantined
from medveil.person.surrogates.surrogates import Surrogates

IMPLEMENTATION_CLASS = "2.25.313747826103428870411506148107519846153"
IMPLEMENTATION_NAME = "MEDVEIL"
_INSTANCE = 0x00020003
# Length, version, class and transfer syntax stay; the implementation becomes this one.
_ACTIONS = {
    0x00020000: "",
    0x00020001: "",
    0x00020002: "",
    _INSTANCE: "U",
    0x00020010: "",
    0x00020012: "D",
    0x00020013: "D",
}
_SYNTAXES = {
    (True, True): ImplicitVRLittleEndian,
    (False, True): ExplicitVRLittleEndian,
    (False, False): ExplicitVRBigEndian,
}


def actions_on_file_meta(dataset: FileDataset, profile: Profile) -> dict[int, str]:
    """What `clean_file_meta` does with each element that is there."""
    before = getattr(dataset, "file_meta", None) or FileMetaDataset()
    actions = {tag: _ACTIONS.get(tag, "X") for tag in map(int, before.keys())}
    if _INSTANCE in actions and Option.UIDS in profile.options:
        actions[_INSTANCE] = "K"
    return {tag: action for tag, action in actions.items() if action}


def clean_file_meta(dataset: FileDataset, profile: Profile, surrogates: Surrogates) -> None:
    """Written anew: who sent the file, with what software, and whatever the preamble held do not come along."""
    before = getattr(dataset, "file_meta", None) or FileMetaDataset()
    meta = FileMetaDataset()
    meta.FileMetaInformationVersion = b"\0\1"
    for keyword in ("SOPClassUID", "SOPInstanceUID"):
        # The dataset's own is clean by now, and the two must be one.
        uid, stated = dataset.get(keyword), before.get(f"MediaStorage{keyword}")
        if not uid and stated:
            uid = stated if Option.UIDS in profile.options else surrogates.uid(str(stated))
        if uid:
            setattr(meta, f"MediaStorage{keyword}", uid)
    syntax = UID(str(before.get("TransferSyntaxUID") or _SYNTAXES[dataset.original_encoding]))
    if syntax.type != "Transfer Syntax":
        raise Quarantined("unsupported transfer syntax")
    meta.TransferSyntaxUID = syntax
    meta.ImplementationClassUID = IMPLEMENTATION_CLASS
    meta.ImplementationVersionName = IMPLEMENTATION_NAME
    dataset.file_meta = meta
    dataset.preamble = b"\0" * 128

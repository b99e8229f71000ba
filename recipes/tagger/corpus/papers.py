"""Numbers that people carry with them or log in with: papers, plates, cards, accounts, machines."""

from __future__ import annotations

import datetime as dt
import random
import string

from recipes.tagger.corpus.numbers import digits


def letters(rng: random.Random, count: int) -> str:
    return "".join(rng.choice(string.ascii_uppercase) for _ in range(count))


def national(rng: random.Random) -> str:
    """An identity card, a passport, a driver's licence, a number of the tax office."""
    return rng.choice(
        [
            f"{letters(rng, 1)}{digits(rng, 7)}",
            f"{letters(rng, 2)} {digits(rng, 6)}",
            f"{letters(rng, 2)}{digits(rng, 6)}{letters(rng, 1)}",
            f"{letters(rng, 2)} {digits(rng, 2)} {digits(rng, 2)} {digits(rng, 2)} {letters(rng, 1)}",
            f"{digits(rng, 4)} {digits(rng, 4)} {digits(rng, 4)}",
            f"{digits(rng, 6)}-{digits(rng, 2)}-{digits(rng, 4)}",
            f"{digits(rng, 3)}-{digits(rng, 4)}-{digits(rng, 7)}-{digits(rng, 1)}",
            f"{letters(rng, 5)} {digits(rng, 6)} {letters(rng, 1)}{digits(rng, 2)}{letters(rng, 2)}",
            f"{letters(rng, 1)}{digits(rng, 6)}({digits(rng, 1)})",
            f"{digits(rng, 2)} {digits(rng, 3)} {digits(rng, 3)} {digits(rng, 3)}",
            f"{letters(rng, 1)}{digits(rng, 3)}-{digits(rng, 4)}-{digits(rng, 4)}",
            f"{digits(rng, 6)}-{digits(rng, 4)}",
            f"{digits(rng, 6)} {digits(rng, 4)}",
            f"{letters(rng, 3)}{digits(rng, 4)}",
            f"{letters(rng, 2)}-{digits(rng, 5)}",
            f"{rng.choice('STFG')}{digits(rng, 7)}{letters(rng, 1)}",
            f"{digits(rng, 7)}{letters(rng, rng.choice((1, 2)))}",
            f"{digits(rng, 2)}-{digits(rng, 4)}-{digits(rng, 4)}-{digits(rng, 4)}",
            digits(rng, 8),
            digits(rng, 9),
            digits(rng, 11),
        ]
    )


def licence(rng: random.Random) -> str:
    """By which doctors, nurses, laboratories and companies are registered."""
    return rng.choice(
        [
            f"MED{digits(rng, 10)}",
            f"{letters(rng, 2)}{digits(rng, 7)}",
            digits(rng, 10),
            f"{digits(rng, 2)}D{digits(rng, 7)}",
            f"RN{digits(rng, 6)}",
            f"{letters(rng, 1)}{digits(rng, 5)}{letters(rng, 2)}{digits(rng, 4)}{letters(rng, 3)}{digits(rng, 6)}",
            digits(rng, 5),
            digits(rng, 6),
            digits(rng, 7),
            f"{letters(rng, 1)}{digits(rng, 4)}",
            f"{letters(rng, 1)}{digits(rng, 5)}{letters(rng, 1)}",
            f"{letters(rng, 2)}-{digits(rng, 5)}",
        ]
    )


def plate(rng: random.Random) -> str:
    return rng.choice(
        [
            f"{letters(rng, 3)}-{digits(rng, 4)}",
            f"{letters(rng, 3)} {digits(rng, 3)}",
            f"{letters(rng, 2)}{digits(rng, 2)} {letters(rng, 3)}",
            f"{digits(rng, 1)}{letters(rng, 3)}{digits(rng, 3)}",
            f"{letters(rng, 2)}-{digits(rng, 3)}-{letters(rng, 2)}",
            f"{letters(rng, 1)}-{letters(rng, 2)} {digits(rng, 4)}",
            f"{letters(rng, 1)}{digits(rng, 3)} {letters(rng, 3)}",
            f"{digits(rng, 3)} {letters(rng, 3)}",
        ]
    )


def account(rng: random.Random) -> str:
    """Of a bank, a card, a bill."""
    return rng.choice(
        [
            " ".join([letters(rng, 2) + digits(rng, 2), *(digits(rng, 4) for _ in range(4)), digits(rng, 2)]),
            letters(rng, 2) + digits(rng, 2) + letters(rng, 4) + digits(rng, 14),
            letters(rng, 2) + digits(rng, 20),
            " ".join(digits(rng, 4) for _ in range(4)),
            "-".join(digits(rng, 4) for _ in range(4)),
            digits(rng, 16),
            f"{digits(rng, 4)}-{digits(rng, 4)}-{digits(rng, 1)}",
            f"{digits(rng, 2)}-{digits(rng, 2)}-{digits(rng, 2)} {digits(rng, 8)}",
            f"{digits(rng, 5)}-{digits(rng, 2)}",
        ]
    )


def network_address(rng: random.Random) -> str:
    if rng.random() < 0.75:
        return ".".join(str(rng.randint(1, 254)) for _ in range(4))
    groups = [f"{rng.randint(0, 65535):x}" for _ in range(rng.choice([4, 8]))]
    if len(groups) == 8:
        return ":".join(groups)
    if rng.random() < 0.5:
        return "fe80::" + ":".join(groups)
    return ":".join(f"{rng.randint(0, 255):02x}" for _ in range(6))


def station(rng: random.Random) -> str:
    """What a computer or a scanner is called in the house."""
    return rng.choice(
        [
            f"{rng.choice(['RAD', 'CT', 'PACS', 'ED', 'MR', 'XR'])}WS{digits(rng, 2)}",
            f"{letters(rng, 3)}_{rng.choice(['CT', 'MR', 'DX', 'CR'])}{digits(rng, 2)}",
            f"{letters(rng, 5)}{digits(rng, 5)}",
            f"{rng.choice(['RADWS', 'WKS', 'PC', 'NODE', 'CTAWP'])}-{digits(rng, 3)}",
            f"{letters(rng, 3)}{digits(rng, 2)}",
        ]
    )


def user(rng: random.Random, given: str, family: str) -> str:
    """A log-in."""
    first, last = (("".join(c for c in word.lower() if c.isascii() and c.isalpha()) or "x") for word in (given, family))
    return rng.choice(
        [
            first[0] + last,
            first[0] + last + digits(rng, 1),
            f"{first}.{last}",
            last + first[0],
            last[:5] + first[:2] + digits(rng, 2),
            f"{first}_{last}",
        ]
    )


def device_identifier(rng: random.Random) -> str:
    """A UDI in the forms of its issuing agencies."""
    item, lot, made = digits(rng, 14), letters(rng, 1) + digits(rng, 6), digits(rng, 6)
    return rng.choice(
        [
            f"(01){item}(17){made}(10){lot}(21){digits(rng, 10)}",
            f"(01){item}(21){lot}",
            f"01{item}17{made}10{lot}",
            f"+{letters(rng, 1)}{digits(rng, 3)}{letters(rng, 4)}{digits(rng, 2)}/$${digits(rng, 8)}{letters(rng, 2)}",
            f"={letters(rng, 1)}{digits(rng, 13)}=,{digits(rng, 7)}",
        ]
    )


def chassis(rng: random.Random) -> str:
    return "".join(rng.choice("ABCDEFGHJKLMNPRSTUVWXYZ0123456789") for _ in range(17))


def biometric(rng: random.Random) -> str:
    """By which a finger, an iris or a voice is filed."""
    return rng.choice(
        [
            f"{rng.choice(['FP', 'IR', 'VP', 'PV', 'FACE', 'RET', 'BIO'])}-{digits(rng, 4)}-{letters(rng, 2)}",
            f"{rng.choice(['FP', 'IRIS', 'VOICE', 'PALM'])}_{digits(rng, 6)}",
            "0x" + "".join(rng.choice("0123456789ABCDEF") for _ in range(rng.choice((8, 12, 16)))),
            f"{letters(rng, 2)}{digits(rng, 5)}.{rng.choice(['L', 'R'])}{digits(rng, 1)}",
            f"BIO{digits(rng, 8)}",
        ]
    )


def photograph(rng: random.Random, given: str, family: str, day: dt.date) -> str:
    """The name of a file as a camera, a telephone or a ward gives it."""
    first, last = (("".join(c for c in word.lower() if c.isascii() and c.isalpha()) or "x") for word in (given, family))
    name = rng.choice(
        [
            f"IMG_{day:%Y%m%d}_{digits(rng, 6)}",
            f"IMG_{digits(rng, 4)}",
            f"DSC_{digits(rng, 4)}",
            f"DSC0{digits(rng, 4)}",
            f"{last}_{first}_{day:%d%m%y}",
            f"{first}{last}-face",
            f"{last.title()}{digits(rng, 4)}_{rng.choice(['wound', 'face', 'hand', 'scar'])}",
            f"photo-{day:%Y-%m-%d}-{digits(rng, 2)}",
            f"WhatsApp Image {day:%Y-%m-%d} at {rng.randint(10, 23)}.{digits(rng, 2)}.{digits(rng, 2)}",
            f"PXL_{day:%Y%m%d}_{digits(rng, 9)}",
        ]
    )
    return f"{name}.{rng.choice(['jpg', 'JPG', 'jpeg', 'png', 'heic', 'HEIC', 'tif', 'NEF'])}"

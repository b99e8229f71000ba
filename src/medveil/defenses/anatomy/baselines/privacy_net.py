"""`PrivacyNet`: ID-Adv, against a recogniser that learns along with it."""

from __future__ import annotations

from medveil.defenses.anatomy.baselines.id_adversarial import IdAdversarial

NAME = "privacy-net"


class PrivacyNet(IdAdversarial):
    """Repaints gray films; its recogniser was stronger, so the identity weighs less."""

    name = NAME
    title = "Privacy-Net"
    levels = (0.05, 0.25, 0.5, 1.0)

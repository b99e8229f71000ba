"""Photographs of the eye: `photographs` prepares them, `vessels` asks whether vessels are still where they were.

Diagnoses are learned from them as from films, by `utility.diagnosis`, which takes colours too.
"""

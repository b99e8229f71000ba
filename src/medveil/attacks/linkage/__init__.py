"""Linkage: can a radiograph be re-linked to its report?"""

"""Verdict, tables, figures: one self-contained HTML file and its JSON."""

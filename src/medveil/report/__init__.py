"""Verdict, tables, figures: one self-contained HTML file and its JSON."""

from medveil.report.write import schema, write_report

__all__ = ["schema", "write_report"]

"""The one way in: whatever a folder or a table holds, read once and alike for every command. Start at `read_source`.

A `Source` has `files` (what each is, and whose) and a `cohort` (the table of images). `kinds` tells what a file is,
`entries` what a first look at it says, `linking` whose it is, `options` what the user said of the data.
"""

from medveil.cohort.input.kinds import Kind
from medveil.cohort.input.linking import OWN, SourceFile
from medveil.cohort.input.options import InputOptions
from medveil.cohort.input.source import Source, read_cohort, read_source

__all__ = ["OWN", "InputOptions", "Kind", "Source", "SourceFile", "read_cohort", "read_source"]

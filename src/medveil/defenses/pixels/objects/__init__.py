"""Objects that are no radiographs: photographs that may show a face, scans with a banner around them, clips, screens.

`kinds` asks the header, `photographs` and `faces` look, `scan_area` says what lies outside of the scan, and `clips`
carries what is painted in one frame to the others.
"""

"""Which findings a chest radiograph shows, as one small network sees it: start at `classifier`."""

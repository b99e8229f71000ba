"""Where the lungs lie on a frontal chest radiograph: start at `segmenter`; `network` is the small network behind it."""

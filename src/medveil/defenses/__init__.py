"""What is changed before a release, and what that promises: one folder a defense, `defense.py` its entrance.

`headers` cleans DICOM attributes, `pixels` text burned into images, `reports` free text, `table` the table of studies;
`alignment` trains the heads of a vision-language model. `medveil.parts` says what a defense must offer.
"""

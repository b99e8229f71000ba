"""Training, whatever the network: start at `loop`, which resumes a killed run and keeps the best weights.

`schedule` has the learning rates, `checkpoint` the files, `device` and `average` what every step needs; `timed` trains
for a number of seconds instead of epochs.
"""

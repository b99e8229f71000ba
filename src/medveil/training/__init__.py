"""Training, whatever the network: start at `loop`, which goes on where a killed run was and keeps the best.

`schedule` has the learning rates, `checkpoint` the files, `device` and `average` what every step needs; `timed` trains
for a number of seconds instead of epochs.
"""

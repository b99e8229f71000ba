"""The simpler ways of hiding anatomy, one a file, on the same footing as those they are compared with.

Only k-same averages promise anything. Those that are trained load what `medveil train anatomy` made.
"""

"""Segmentation across hospitals: brain tumours in BraTS's published layout, with a network of MONAI's.

`nifti` reads a volume, `brats` a folder of subjects, `training` is a site's part in `medveil.federated.rounds`, and
`overlap` says how well a model outlines the tumours of unseen patients.
"""

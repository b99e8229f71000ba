"""What a trained model is good for, and where it looks.

Diagnosis by words alone is in `zero_shot`, from a few examples in `few_shot`; `retrieval` finds the report of a film.
`attention` asks whether the model looks at the lungs and at the finding, by Grad-CAM and by a phrase, and
`token_alignment` which words it goes by. `comparison` holds models against one another, paired by patient.
"""

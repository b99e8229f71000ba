"""What a trained model is good for, and where it looks.

`diagnosis` has the scores of films: by the heads, by words alone (`zero_shot`) and from a few examples (`few_shot`).
`retrieval` finds the report of a film; `attention` asks whether the model looks at the lungs and at the finding, and
`token_alignment` whether the words of a report do. `comparison` holds models against one another, paired by patient.
"""

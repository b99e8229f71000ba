"""Tables as hospitals export them: CSV in any dialect and .xlsx. Start at `reading.read_table`.

`dialect` and `encodings` tell how the bytes are to be read, `spreadsheet` reads and writes .xlsx. `columns` knows what
columns are called, `values` what their cells mean, `dates` whether the day comes first, `paths` which file is meant.
"""

"""The loops that array operations cannot express without leaving the cache, compiled to machine code.

Nothing here decides what is measured: `medveil.stats` calls it, inside functions, since importing numba or Triton takes
a second. `grid` is what all share; `scores`, `counts` and `nearest` work on tiles of scores (with `bits` for sixty-four
comparisons at a time), `redraws`, `drawn_pools` and `expectations` resample; `ranks_cuda` does on a graphics processor
what `counts` does here, with the kernels of `ranks_triton`. `compilation` has the decorator.
"""

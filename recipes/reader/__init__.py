"""How the bundled reader was trained: `backgrounds` and `glyphs` gather, `recipe` trains, `card` tells."""

"""Where questions come from: `loading` reads a data set's folder, `phantom` asks about phantom films."""

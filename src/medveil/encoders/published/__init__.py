"""What published models share: fetching them, the folder they lie in, their libraries, and `TwoTowers` to run them."""

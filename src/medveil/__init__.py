"""medveil answers one question about chest X-rays and their reports: can this be released?"""

__version__ = "0.1.0"

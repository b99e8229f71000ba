"""Do answers to questions on images stay right? Start at `question` for what is asked, at `model` for who answers."""

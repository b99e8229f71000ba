"""Where an image has text: views to look at (`views`), the bundled detector, and what counts as text (`text`)."""

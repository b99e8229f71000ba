"""Where an image may have text: views to look at (`views`), and the bundled detector, which proposes lines."""

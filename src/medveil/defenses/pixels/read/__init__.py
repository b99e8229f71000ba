"""What a line of text says, and how sure that is: the bundled reader, and a second one of another make."""

"""What is changed before a release, and what that promises."""

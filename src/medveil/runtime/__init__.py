"""What everything runs on: workers that may crash, the run journal, files that appear whole, compiled networks."""

"""The verbs of the command line, one file for what belongs together; each calls one function below and prints."""

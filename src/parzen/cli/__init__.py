"""The command line: ``parzen report data.csv``, and the rest of the vocabulary on files and through pipes."""

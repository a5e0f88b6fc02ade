"""Tables that are read batch by batch, again and again: files, streams, arrays on disk, lists of tables."""

"""Model files: objects as trees of JSON and arrays, files of them, and the registry of what a file may name."""

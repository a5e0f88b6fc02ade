"""What is raised for files that are no model files, and models that no file can hold."""


class ModelFileError(ValueError):
    """A file that is no model file, is damaged, or is from a newer version; or a model that a file can't hold."""

"""What is raised for tables and options that no report can be made of."""


class ReportError(ValueError):
    """A table or an option that no report can be made of; the message says what to do."""

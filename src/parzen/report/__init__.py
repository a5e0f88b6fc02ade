"""Reports: what a table is made of, and what predicts one of its columns, as a dict and as a page."""

from parzen.report.page import page
from parzen.report.summary import summarise

__all__ = ["page", "summarise"]

"""Reports: what a table holds, and which models predict one of its columns, as a dict and as a page of HTML."""

from parzen.report.errors import ReportError
from parzen.report.page import page
from parzen.report.summary import summarise

__all__ = ["ReportError", "page", "summarise"]

"""A table explored in the browser: a small server, a page, and one module for each view."""

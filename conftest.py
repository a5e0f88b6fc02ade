"""What the tests leave out where a large library is not installed."""

from importlib.util import find_spec

collect_ignore_glob = [] if find_spec("torch") and find_spec("triton") else ["src/parzen/compute/device/*"]

"""``python -m parzen``: the command line."""

from parzen.cli.main import main

raise SystemExit(main())

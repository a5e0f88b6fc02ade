"""A table in a file, and the command line as a function."""

import numpy as np
import pandas as pd
import pytest

from parzen.cli.main import main


@pytest.fixture
def table(tmp_path):
    rng = np.random.default_rng(0)
    kind = np.repeat(["a", "b"], 60)
    frame = pd.DataFrame(
        {
            "id": np.arange(120),
            "length": rng.normal(0, 1, 120) + 3 * (kind == "b"),
            "width": rng.normal(0, 1, 120),
            "colour": rng.choice(["red", "<script>alert(1)</script>"], 120),
            "kind": kind,
        }
    )
    frame.loc[5, "width"] = np.nan
    path = tmp_path / "table.csv"
    frame.to_csv(path, index=False)
    return path


@pytest.fixture
def run(capsys):
    """Runs `parzen` with arguments; gives its exit status, and what it printed to stdout and stderr."""

    def run(*arguments):
        code = main([str(one) for one in arguments])
        out, err = capsys.readouterr()
        return code, out, err

    return run

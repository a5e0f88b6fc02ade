"""What parzen imports, and when: libraries that take long are imported where they are used."""

import json
import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

import parzen

SOURCE = Path(parzen.__file__).parent
#: What is slow to import, and not needed by every estimator.
SLOW = ("pandas", "polars", "pyarrow", "matplotlib", "scipy.stats", "scipy.optimize")

#: scikit-learn itself imports some of them; they are forgotten, and those that parzen's own files ask for are told.
PROGRAM = """
import importlib.util, json, sys
import numpy as np
import sklearn.base, sklearn.utils.validation

slow, source = json.loads(sys.argv[1]), sys.argv[2]
before, asked, told, forgotten = set(sys.modules), [], {}, {}

def is_slow(name):
    return any(name == one or name.startswith(one + ".") for one in slow)

def forget():
    for name in [name for name in sys.modules if is_slow(name)]:
        package, _, attribute = name.rpartition(".")
        parent = sys.modules.get(package) or forgotten.get(package)
        if parent:  # the oldest SciPy has modules in packages that are none
            vars(parent).pop(attribute, None)
        forgotten[name] = sys.modules.pop(name)

class Remember:
    def find_spec(self, name, *_):
        if not is_slow(name):
            return None
        frame = sys._getframe(1)
        while "importlib" in frame.f_code.co_filename or frame.f_globals.get("__name__") == "scipy":
            frame = frame.f_back
        if frame.f_code.co_filename.startswith(source):
            asked.append(f"{name} by {frame.f_code.co_filename}:{frame.f_lineno}")
        return importlib.util.spec_from_loader(name, self) if name in forgotten else None

    def create_module(self, spec):
        return forgotten[spec.name]

    def exec_module(self, module):
        pass

def tell(what):
    told[what] = asked[:]
    asked.clear()
    forget()

forget()
sys.meta_path.insert(0, Remember())
import parzen
told["modules"] = sorted({name.partition(".")[0] for name in set(sys.modules) - before} - set(sys.stdlib_module_names))
tell("import parzen")
for name in parzen.__all__:
    getattr(parzen, name)
tell("public names")
X, y = np.random.default_rng(0).normal(size=(60, 3)), np.arange(60) % 2
parzen.GaussianNB().fit(X, y).predict(X)
tell("GaussianNB")
parzen.GaussianMixture(2, random_state=0).fit(X).predict(X)
tell("GaussianMixture")
parzen.KernelDensity().fit(X).score_samples(X)
tell("KernelDensity")
from scipy import optimize, stats
tell("the program itself")
exec(compile("from scipy import optimize; import scipy.stats", source + "/nowhere.py", "exec"))
tell("a file of parzen")
print(json.dumps(told))
"""


@pytest.fixture(scope="module")
def told():
    command = [sys.executable, "-W", "ignore", "-c", PROGRAM, json.dumps(SLOW), str(SOURCE)]
    found = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert found.returncode == 0, found.stderr
    return json.loads(found.stdout)


def test_import_parzen_loads_nothing_but_parzen(told):
    assert told["modules"] == ["parzen"]
    assert told["import parzen"] == []


@pytest.mark.parametrize("job", ["public names", "GaussianNB", "GaussianMixture", "KernelDensity"])
def test_arrays_need_no_table_picture_test_or_optimiser(told, job):
    assert told[job] == []


def test_the_check_of_imports_finds_one(told):
    assert told["the program itself"] == []
    assert [one.partition(" ")[0] for one in told["a file of parzen"]] == ["scipy.optimize", "scipy.stats"]


def test_what_is_slow_to_import_is_imported_inside_functions():
    line = re.compile(
        r"^(?:from|import) (?:(?:scipy\.|scipy import .*)(?:stats|optimize)|pandas|polars|pyarrow|matplotlib)\b", re.M
    )
    assert line.search("from scipy import optimize")
    assert line.search("import scipy.stats")
    assert [path for path in SOURCE.rglob("*.py") if line.search(path.read_text(encoding="utf-8"))] == []


@pytest.mark.parametrize("name", [one for one in parzen.__all__ if isinstance(getattr(parzen, one), ModuleType)])
def test_a_module_may_be_the_first_name_that_is_used(name):
    subprocess.run([sys.executable, "-c", f"import parzen; parzen.{name}"], check=True)

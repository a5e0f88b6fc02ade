"""Files in the Bayesian Interchange Format: read, written, refused."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from parzen import BayesNetwork
from parzen.estimators.nets import bif
from parzen.estimators.nets.bif import format_bif, parse_bif
from tests.densities.nets.examples import random_net

SPRINKLER = """
network "garden" { property author x; }
// a comment
variable rain { type discrete [ 2 ] { no, yes }; property place = (1, 2); }
variable wet { type discrete[2]{ "quite dry", wet }; }
/* another
   comment */
probability ( rain ) { table 0.8, 0.2; }
probability ( wet | rain ) { (no) 0.9, 0.1; default 0.25, 0.75; }
"""


def test_a_file_is_read():
    net = parse_bif(SPRINKLER)
    assert net.states == {"rain": ("no", "yes"), "wet": ("quite dry", "wet")}
    assert net.parents == {"rain": (), "wet": ("rain",)}
    np.testing.assert_array_equal(net.tables["wet"], [[0.9, 0.1], [0.25, 0.75]])


def test_a_whole_table_lists_the_node_slowest():
    text = SPRINKLER.replace("(no) 0.9, 0.1; default 0.25, 0.75;", "table 0.9, 0.25, 0.1, 0.75;")
    np.testing.assert_array_equal(parse_bif(text).tables["wet"], parse_bif(SPRINKLER).tables["wet"])


@given(st.integers(0, 2**32 - 1))
@settings(max_examples=20)
def test_what_is_written_is_read_again_to_the_last_digit(seed):
    net = random_net(np.random.default_rng(seed), numbers=0.0)
    names = [f"node {j}" for j in range(len(net.sizes))]
    states = {name: tuple(f"s{i}" for i in range(size)) for name, size in zip(names, net.sizes, strict=True)}
    parents = {name: tuple(names[p] for p in own) for name, own in zip(names, net.parents, strict=True)}
    tables = dict(zip(names, net.tables(0), strict=True))
    read = parse_bif(format_bif(bif.Tables(states, parents, tables)))
    assert read.states == states
    assert read.parents == parents
    for name in names:
        np.testing.assert_allclose(read.tables[name], tables[name], rtol=1e-15)


def test_a_network_is_written_to_a_file_and_read(tmp_path):
    net = BayesNetwork.from_parameters(
        "rain -> wet", {"rain": [0.8, 0.2], "wet": [[0.9, 0.1], [0.25, 0.75]]}, ["no", "yes"]
    )
    net.write_bif(tmp_path / "garden.bif")
    again = BayesNetwork.read_bif(tmp_path / "garden.bif")
    assert again.query("rain", {"wet": "yes"}).as_dict() == pytest.approx(net.query("rain", {"wet": "yes"}).as_dict())


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda text: text[: len(text) // 2], "cut off"),
        (lambda text: text.replace("0.8, 0.2", "0.8, 0.3"), "sum to 1.1"),
        (lambda text: text.replace("0.8, 0.2", "1.2, -0.2"), "must hold probabilities"),
        (lambda text: text.replace("0.8, 0.2", "0.8, zero"), "expected probabilities"),
        (lambda text: text.replace("0.8, 0.2", "0.8, 0.1, 0.1"), "3 numbers"),
        (lambda text: text.replace("(no)", "(maybe)"), "'maybe' is no state of 'rain'"),
        (lambda text: text.replace("wet | rain", "wet | snow"), "snow"),
        (lambda text: text.replace("default 0.25, 0.75;", ""), "for every configuration"),
        (lambda text: text.replace("[ 2 ]", "[ 3 ]"), "2 states, but says 3"),
        (lambda text: text.replace("no, yes", "no, no"), "twice"),
        (lambda text: text + "variable rain { type discrete [1] { a }; }", "declared twice"),
        (lambda text: text + "probability ( rain ) { table 0.8, 0.2; }", "given twice"),
        (lambda text: text.replace("probability ( rain ) { table 0.8, 0.2; }", ""), "no probabilities of 'rain'"),
        (lambda text: text.replace("type discrete [ 2 ] { no, yes };", "type continuous;"), "no states"),
        (lambda text: text + ' "', "quotation mark"),
        (lambda text: text + "network x { " + "/* " * 2000, "quotation mark or \\*/ missing"),
        (lambda text: text.replace("wet | rain", "wet | rain, rain"), "parent twice"),
        (lambda text: "", "no variable"),
        (lambda text: "__import__('os').system('true')", "expected 'network'"),
        (lambda text: text.replace("probability ( rain )", "probability ( rain | wet )").replace(
            "table 0.8, 0.2;", "(wet) 0.8, 0.2; default 0.8, 0.2;"), "cycle"),
    ],
)  # fmt: skip
def test_a_bad_file_is_refused_in_one_sentence(change, said, tmp_path):
    path = tmp_path / "bad.bif"
    path.write_text(change(SPRINKLER))
    with pytest.raises(ValueError, match=said) as caught:
        BayesNetwork.read_bif(path)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("mark", ["|", ",", "{", "}", "(", ")", ";", "[", "]", "", " ", "/* x", "// x", "table"])
def test_a_mark_of_the_format_is_a_name_where_it_is_quoted(mark, tmp_path):
    path = tmp_path / "marks.bif"
    net = BayesNetwork.from_parameters(
        [(mark, "child")], {mark: [0.8, 0.2], "child": [[0.6, 0.4], [0.9, 0.1]]}, [mark, "other"]
    )
    net.write_bif(path)
    again = BayesNetwork.read_bif(path)
    assert again.edges_ == net.edges_
    assert again.query("child", {mark: mark}).as_dict() == pytest.approx(net.query("child", {mark: mark}).as_dict())


def test_a_mark_of_byte_order_is_passed_over_and_other_bytes_are_refused(tmp_path):
    path = tmp_path / "bytes.bif"
    path.write_bytes(SPRINKLER.encode("utf-8-sig"))
    assert BayesNetwork.read_bif(path).edges_ == [("rain", "wet")]
    path.write_bytes(SPRINKLER.replace("garden", "jardin d'été").encode("latin-1"))
    with pytest.raises(ValueError, match=r"bytes\.bif is not text in UTF-8"):
        BayesNetwork.read_bif(path)


@pytest.mark.parametrize(
    ("edges", "tables", "states", "said"),
    [
        ([(0, "0")], {0: [0.5, 0.5], "0": [[0.5, 0.5], [0.1, 0.9]]}, None, "columns have the same one"),
        ("", {"a": [0.5, 0.5]}, [0, "0"], "states of 'a' have the same one"),
    ],
)
def test_names_that_would_be_one_in_a_file_are_not_written(edges, tables, states, said, tmp_path):
    net = BayesNetwork.from_parameters(edges, tables, states)
    with pytest.raises(ValueError, match=said):
        net.write_bif(tmp_path / "clash.bif")


def test_a_table_that_would_fill_memory_is_refused_before_it_is_made():
    nodes = "".join(f"variable a{i} {{ type discrete [ 9 ] {{ {', '.join('abcdefghi')} }}; }}\n" for i in range(12))
    given_all = ", ".join(f"a{i}" for i in range(1, 12))
    with pytest.raises(ValueError, match="cells"):
        parse_bif(nodes + f"probability ( a0 | {given_all} ) {{ default {', '.join(['0.1'] * 9)}; }}")

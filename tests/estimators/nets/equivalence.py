"""How far two graphs are apart, but for directions that no table can tell."""

from itertools import combinations


def distance(one, other):
    """Structural Hamming distance between the equivalence classes of two graphs, given as pairs (parent, child)."""
    first, second = _marks(one), _marks(other)
    return sum(first.get(pair) != second.get(pair) for pair in first.keys() | second.keys())


def _marks(edges):
    """From pairs of joined nodes to the direction of their edge; "any" where both describe the same distributions."""
    joined = {frozenset(edge) for edge in edges}
    nodes = {node for edge in edges for node in edge}
    parents = {node: sorted(a for a, b in edges if b == node) for node in nodes}
    fixed = {
        (a, c) for c in nodes for pair in combinations(parents[c], 2) if frozenset(pair) not in joined for a in pair
    }
    while True:  # Meek's first three rules
        free = [(a, b) for a, b in edges if (a, b) not in fixed]
        new = {(x, y) for a, b in free for x, y in ((a, b), (b, a)) if _compelled(x, y, fixed, joined, free, nodes)}
        if not new:
            return {frozenset(edge): edge if edge in fixed else "any" for edge in edges}
        fixed.add(min(new))


def _compelled(x, y, fixed, joined, free, nodes):
    if any((z, x) in fixed and frozenset((z, y)) not in joined for z in nodes - {x, y}):
        return True
    if any((x, z) in fixed and (z, y) in fixed for z in nodes):
        return True
    around = {frozenset(edge) for edge in free}
    into = [z for z in nodes if frozenset((x, z)) in around and (z, y) in fixed]
    return any(frozenset(pair) not in joined for pair in combinations(into, 2))

"""Moments from marginals in ddssp2024: Section 3.2, Propositions 3.2 and 3.3, Appendix F.1 and Section 5.

Whatever is linear in the records is shown for one record with a symbolic encoding, and is then true for every table.
"""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import product

from flint import fmpz_mat

from bounds.symbolic_form import plain_text
from verify.claim import Claim, Evidence, Method, Scope, Severity, Verdict, confirmed_if, inconsistent_if
from verify.claims.ddssp2024_encoding import ENCODINGS, RECORDS, SIZES, Matrix, encode, full_rank_gap


def gram_block(j: int, k: int) -> Matrix:
    """The block of Z^T Z, record by record."""
    rows, columns = len(ENCODINGS[j]), len(ENCODINGS[k])
    block = [[0] * columns for _ in range(rows)]
    for record in RECORDS:
        left, right = encode(j, record[j]), encode(k, record[k])
        for a, b in product(range(rows), range(columns)):
            block[a][b] += left[a] * right[b]
    return block


def table_of(j: int, k: int) -> Matrix:
    """The marginal of two attributes; for one with itself, the diagonal matrix of its own marginal."""
    counts = Counter((record[j], record[k]) for record in RECORDS)
    return [[counts[s, t] for t in range(SIZES[k])] for s in range(SIZES[j])]


def block_from_marginal(j: int, k: int) -> Matrix:
    """A_j <mu_jk> A_k^T, with <mu_jj> = diag(mu_j)."""
    return statistics_of({(j, k): table_of(j, k)})[j, k]


def _blocks() -> Evidence:
    """Z = [X, y] for symbolic numbers of records and features."""
    import sympy as sp

    n, p = sp.symbols("n p", integer=True, positive=True)
    x, y = sp.MatrixSymbol("X", n, p), sp.MatrixSymbol("y", n, 1)
    z = sp.BlockMatrix([[x, y]])
    product_of_blocks = sp.block_collapse(z.T * z)
    expected = sp.BlockMatrix([[x.T * x, x.T * y], [y.T * x, y.T * y]])
    text = "[X, y]^T [X, y] has these blocks, with symbols for X, y, and for the numbers of records and features"
    return confirmed_if(product_of_blocks == expected, text)


def _gram() -> Evidence:
    """One record with levels s and t: A e_s (B e_t)^T = A (e_s e_t^T) B^T, symbolic A and B; then whole tables."""
    import sympy as sp

    a, b = sp.Matrix(2, 3, sp.symbols("a1:7")), sp.Matrix(3, 4, sp.symbols("b1:13"))
    record = all(
        a[:, s] * b[:, t].T == a * sp.Matrix(3, 4, lambda i, j, s=s, t=t: int((i, j) == (s, t))) * b.T
        for s, t in product(range(3), range(4))
    )
    diagonal = all(
        a[:, s] * a[:, s].T == (a * sp.diag(*(int(i == s) for i in range(3))) * a.T).expand() for s in range(3)
    )
    same = all(gram_block(j, k) == block_from_marginal(j, k) for j, k in product(range(3), repeat=2))
    text = (
        "for one record of any levels and symbolic A_j, A_k both sides agree, also for j = k; both are sums over "
        "records, so for every table. 61 records with one-hot, scalar and reduced encodings: all 9 blocks agree exactly"
    )
    return confirmed_if(record and diagonal and same, text)


def _single_marginals() -> Evidence:
    exact = all(
        Counter(r[0] for r in RECORDS)[s] == sum(Counter((r[0], r[k]) for r in RECORDS)[s, t] for t in range(SIZES[k]))
        for k in (1, 2) for s in range(3)
    )  # fmt: skip
    first, second = [[5, 3], [2, 4]], [[5, 4], [2, 4]]  # the same attribute beside two others, one count noised
    differ = [sum(row) for row in first] != [sum(row) for row in second]
    text = (
        "the sum of mu_jk over t is mu_j for 61 records; in general every record with level s of j has exactly one "
        "level of k. Tables with separate noise may give different values: 8 and 9"
    )
    return confirmed_if(exact and differ, text)


def _least_squares() -> Evidence:
    """|y - X t|^2 - |y - X e|^2 = |X (t - e)|^2 where X^T X e = X^T y; two full one-hot encodings make it singular."""
    import sympy as sp

    x, t = sp.Matrix(3, 2, sp.symbols("x1:7")), sp.Matrix(sp.symbols("t1:3"))
    e, r = sp.Matrix(sp.symbols("e1:3")), sp.Matrix(sp.symbols("r1:4"))
    y = x * e + r  # the residual r is orthogonal to the columns where the normal equations hold
    gap = ((y - x * t).T * (y - x * t) - r.T * r)[0] - ((t - e).T * x.T * x * (t - e))[0]
    square = sp.expand(gap - 2 * ((e - t).T * x.T * r)[0]) == 0
    singular = full_rank_gap(dropped=0, records=list(product(range(2), range(3))))
    text = (
        "with the residual r at e, |y - X t|^2 = |r|^2 + |X (t - e)|^2 + 2 (e - t).X^T r as polynomials, and X^T r = "
        f"0 are the normal equations, for all n and p; two full one-hot encodings lack rank {singular}"
    )
    return confirmed_if(square and singular == 1, text, with_conditions=True)


def statistics_of(tables: dict[tuple[int, int], Matrix]) -> dict[tuple[int, int], Matrix]:
    """Steps 2 and 3 of Algorithm 1: the only inputs are the tables and the fixed encodings."""
    found = {}
    for (j, k), table in tables.items():
        block = fmpz_mat(ENCODINGS[j]) * fmpz_mat(table) * fmpz_mat(ENCODINGS[k]).transpose()
        found[j, k] = [[int(block[a, b]) for b in range(block.ncols())] for a in range(block.nrows())]
    return found


def _private() -> Evidence:
    """A scale taken from the data is visible without noise: 1/max changes with one record, with probability 1."""
    tables = {(j, k): table_of(j, k) for j, k in product(range(3), repeat=2)}
    same = statistics_of(tables) == {(j, k): gram_block(j, k) for j, k in tables}
    data, neighbour = [1, 2, 4], [1, 2, 4, 8]
    scales = [Fraction(1, max(values)) for values in (data, neighbour)]
    text = (
        "steps 2 and 3 are computed from the released tables and the fixed A_j alone, so they are a function of a "
        f"private output; a scale 1/max taken from the data would be {scales[0]} and {scales[1]} for neighbours, which "
        "no delta < 1 allows"
    )
    return confirmed_if(same and scales[0] != scales[1], text)


U, V, W = (2, -1, 5), (3, -2), (1, 4, -3, 7)


def third_moment() -> int:
    """Sum of x_a x_b x_c, record by record."""
    return sum(U[a] * V[b] * W[c] for a, b, c in RECORDS)


def tensor_product(first: tuple[int, ...], second: tuple[int, ...], third: tuple[int, ...]) -> int:
    """Inner product of a tensor of rank one and the marginal on three attributes."""
    mu = Counter(RECORDS)
    return sum(first[r] * second[s] * third[t] * count for (r, s, t), count in mu.items())


def _tensor() -> Evidence:
    """One record of any levels with symbols for u, v, w; then a table."""
    import sympy as sp

    u, v, w = sp.symbols("u1:4"), sp.symbols("v1:3"), sp.symbols("w1:5")
    levels = list(product(range(3), range(2), range(4)))
    record = all(
        sum(u[r] * v[s] * w[t] * int((r, s, t) == chosen) for r, s, t in levels)
        == u[chosen[0]] * v[chosen[1]] * w[chosen[2]]
        for chosen in levels
    )
    found = tensor_product(U, V, W)
    text = (
        "for one record of any levels and symbolic u, v, w both are u_r v_s w_t, and both are sums over records; the "
        f"same for k factors. 61 records: both are {found}"
    )
    return confirmed_if(record and found == third_moment(), text)


def _tensor_indices() -> Evidence:
    """The printed u_r u_s u_t uses u for all three attributes, so it needs u to be as long as the others."""
    long_u = (2, -1, 5, 0)
    printed = tensor_product(long_u, long_u, long_u)
    text = f"u_r u_s u_t gives {printed}, u_r v_s w_t gives {third_moment()}"
    return inconsistent_if(printed != third_moment(), text)


def _tensor_indices_again() -> Evidence:
    """One record, levels 1 and 1 and 1: the sum is u_1 v_1 w_1."""
    import sympy as sp

    u, v, w = sp.symbols("u_1 v_1 w_1")
    difference = sp.expand(u * v * w - u**3)
    text = f"one record: the term differs by {plain_text(difference)}, zero only if v_1 w_1 = u_1^2"
    return inconsistent_if(difference != 0, text)


def _orders() -> Evidence:
    """Even and odd parity on four signs: the same marginals of order 3, but sums of y x_1 x_2 x_3 of 8 and -8."""
    corners = list(product((-1, 1), repeat=4))
    even, odd = ([c for c in corners if c[0] * c[1] * c[2] * c[3] == sign] for sign in (1, -1))
    same = all(
        Counter(tuple(c[j] for j in range(4) if j != out) for c in even)
        == Counter(tuple(c[j] for j in range(4) if j != out) for c in odd)
        for out in range(4)
    )
    sums = [sum(c[0] * c[1] * c[2] * c[3] for c in part) for part in (even, odd)]
    text = (
        "counted as in Appendix F.1, a monomial of degree k has k entries and needs their marginal; counted in "
        "x.theta it can need k + 1: two tables with equal marginals of order 3 have sums of y x_1 x_2 x_3 of "
        f"{sums[0]} and {sums[1]}"
    )
    return confirmed_if(same and sums == [8, -8], text, with_conditions=True)


CLAIMS = (
    Claim(
        "ddssp2024.3-2.blocks", "ddssp2024", "Section 3.2.1, equation (1)",
        "Z^T Z has the blocks X^T X, X^T y, y^T X and y^T y.",
        Verdict.CONFIRMED, Method.SYMBOLIC, _blocks,
        quote="The matrix $Z^T Z$ has blocks that contain our sufficient statistics of interest",
        scope=Scope.ALL_CASES,
    ),
    Claim(
        "ddssp2024.P3-2.gram", "ddssp2024", "Proposition 3.2",
        "The block of Z^T Z for attributes j and k is A_j <mu_jk> A_k^T, with <mu_jj> = diag(mu_j).",
        Verdict.CONFIRMED, Method.SYMBOLIC, _gram, formula="(Z^T Z)_[j,k] = A_j <mu_{j,k}> A_k^T",
        quote=r"$$(Z^T Z)_{[j,k]} = A_j \langle \mu_{j,k} \rangle A_k^T$$", scope=Scope.REASONED,
    ),
    Claim(
        "ddssp2024.3-2.single", "ddssp2024", "Section 3.2.1, after Proposition 3.2",
        "The marginal of one attribute is obtained from any pair that contains it.",
        Verdict.CONFIRMED, Method.EXACT, _single_marginals,
        "True for the marginals of a table, and for private ones that agree with each other, like those of a fitted "
        "model; from tables with separate noise, different pairs give different marginals.",
        quote=r"single-attribute marginals $\mu_j$ can be constructed from any $\mu_{j,k}$ with $k \neq j$",
        scope=Scope.REASONED,
    ),
    Claim(
        "ddssp2024.3-2.least-squares", "ddssp2024", "Section 3.2",
        "The least-squares estimator is (X^T X)^-1 X^T y.",
        Verdict.CONFIRMED_WITH_CONDITIONS, Method.SYMBOLIC, _least_squares,
        "True if X^T X is invertible, and with private tables also its estimate; otherwise a pseudo-inverse or a ridge "
        "term is needed.",
        quote=r"the OLS estimator is given by $\hat{\theta} = (X^T X)^{-1} X^T y$", scope=Scope.REASONED,
    ),
    Claim(
        "ddssp2024.P3-3.private", "ddssp2024", "Proposition 3.3", "DD-SSP is (epsilon, delta)-private.",
        Verdict.CONFIRMED, Method.EXACT, _private,
        "True as the paper sets it up, with encodings, ranges and domain fixed without looking at the data. n is not "
        "needed.",
        hypotheses=(
            "the release of marginals is (epsilon, delta)-private, as Algorithm 1 requires",
            "the encodings A_j are fixed, as Section 3.1 says",
        ),
        quote=r"DD-SSP is $(\epsilon, \delta)$-DP.", scope=Scope.REASONED,
        depends_on=("ddssp2024.A.choice", "ddssp2024.A.total", "ddssp2024.P2-6.post-processing"),
    ),
    Claim(
        "ddssp2024.F1.tensor", "ddssp2024", "Appendix F.1",
        "A sum of products of k encoded features is the inner product of u x v x w with the k-way marginal.",
        Verdict.CONFIRMED, Method.SYMBOLIC, _tensor,
        quote="a degree-$k$ monomial, can be rewritten as a tensor inner product between a constant tensor and a "
        "$k$-way marginal",
        scope=Scope.REASONED,
    ),
    Claim(
        "ddssp2024.F1.indices", "ddssp2024", "Appendix F.1, second to fifth line of the derivation",
        "The coefficients of the three attributes are u_r, u_s and u_t.",
        Verdict.INCONSISTENT, Method.EXACT, _tensor_indices,
        "The coefficients are u_r, v_s and w_t, as in the first and last line. A slip of the print; the result is "
        "correct.",
        again=_tensor_indices_again,
        quote=r"u_r u_s u_t \cdot \langle \mu_{j,k,\ell} \rangle_{rst} \\ &= \langle u \otimes v \otimes w",
        severity=Severity.SLIP,
    ),
    Claim(
        "ddssp2024.5.orders", "ddssp2024", "Section 5; Appendix F.1",
        "A polynomial of degree k in the GLM mapping can be obtained from k-way marginals.",
        Verdict.CONFIRMED_WITH_CONDITIONS, Method.EXACT, _orders,
        "True if the degree is counted as in Appendix F.1, in all encoded entries of a record including the label. In "
        "the degree of the mapping alone, y times an odd power m of x.theta needs m + 1 attributes: k-way marginals "
        "suffice for even k, or if the coefficient of an odd k vanishes, as for logistic regression from 3 on.",
        quote="obtain approximate sufficient statistics from $k$-way marginals by making a $k$-degree polynomial "
        "approximation to the GLM mapping function",
        severity=Severity.READING, scope=Scope.REASONED, depends_on=("ddssp2024.F1.tensor",),
    ),
)  # fmt: skip

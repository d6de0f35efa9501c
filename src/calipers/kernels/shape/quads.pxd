"""The area that two convex quadrilaterals with small integer vertices share: four edges at a time, without a branch.

The same operations in the same order as `edge_pieces` of `areas`, and so the same bits. What there ends the work on an
edge is a mask here. That takes registers of four numbers: other machines go edge by edge.
"""

cdef extern from *:
    """
    #if defined(__GNUC__) && defined(__x86_64__)
    #define ARE_ABREAST __builtin_cpu_supports("avx2")

    typedef double Four __attribute__((vector_size(32)));
    typedef long long FourMasks __attribute__((vector_size(32)));       /* all bits or none */
    #define PICK(mask, yes, no) ((Four) (((mask) & (FourMasks) (yes)) | (~(mask) & (FourMasks) (no))))

    /* Sum over the edges (p, q) of `a`, cut to the inside of `b`, of cross(p - o, q - o) times the share that is left:
       from n0 / d0 to n1 / d1 of the edge. */
    __attribute__((target("avx2"))) static double quad_pieces(const double* a, const double* b, double ox, double oy,
                                                              int take_shared) {
        const Four qx = {a[0], a[2], a[4], a[6]}, qy = {a[1], a[3], a[5], a[7]};
        const Four px = {a[6], a[0], a[2], a[4]}, py = {a[7], a[1], a[3], a[5]};
        const FourMasks may_share = (FourMasks) {0, 0, 0, 0} - take_shared;
        Four n0 = {0, 0, 0, 0}, d0 = {1, 1, 1, 1}, n1 = d0, d1 = d0, pieces;
        FourMasks outside = {0, 0, 0, 0};
        double rx = b[6], ry = b[7];
        for (int j = 0; j < 4; j++) {
            const double ex = b[2 * j] - rx, ey = b[2 * j + 1] - ry;
            const Four t = ex * (qy - ry) - ey * (qx - rx);
            const Four s = {t[3], t[0], t[1], t[2]};
            const FourMasks shared = may_share & (ex * (qx - px) + ey * (qy - py) > 0) & (s == 0) & (t == 0);
            const FourMasks enters = (s < 0) & (t > 0) & (-s * d0 > n0 * (t - s));
            const FourMasks leaves = (s > 0) & (t < 0) & (s * d1 < n1 * (s - t));
            outside |= (s <= 0) & (t <= 0) & ~shared;
            n0 = PICK(enters, -s, n0);
            d0 = PICK(enters, t - s, d0);
            n1 = PICK(leaves, s, n1);
            d1 = PICK(leaves, s - t, d1);
            rx = b[2 * j];
            ry = b[2 * j + 1];
        }
        pieces = (n1 * d0 - n0 * d1) / (d0 * d1) * ((px - ox) * (qy - oy) - (py - oy) * (qx - ox));
        pieces = (Four) (~outside & (n0 * d1 < n1 * d0) & (FourMasks) pieces);
        return 0.0 + pieces[0] + pieces[1] + pieces[2] + pieces[3];
    }
    #else
    #define ARE_ABREAST 0
    #define quad_pieces(a, b, ox, oy, take_shared) 0.0
    #endif
    """
    const bint ARE_ABREAST      # whether `quad_pieces` may be called
    double quad_pieces(const double* a, const double* b, double ox, double oy, bint take_shared) noexcept nogil


cdef enum:
    QUAD = 4                    # vertices

// flags: -g 64 --local 16 -n 64
// accesses: 4
// rewrites: {cols,d1}:16{d2,solutions}/da
typedef struct { uint cols, d1, d2; int solutions; } board;
#define N 8
__kernel void queens(__global board *b) {
    int i = get_global_id(0);
    uint all = (1u << N) - 1, stack[N + 1], cs[N + 1], ds[N + 1], es[N + 1];
    int r = i / N, c = i % N, depth = 0, found = 0;
    uint a = 1u << r, d = 1u << c;
    if (r == c || abs(r - c) == 1) goto done;
    cs[0] = a | d; ds[0] = (a << 2) | (d << 1); es[0] = (a >> 2) | (d >> 1);
    stack[0] = all & ~(cs[0] | ds[0] | es[0]);
    while (depth >= 0) {
        uint bit = stack[depth] & -stack[depth];
        if (!bit) { depth--; continue; }
        stack[depth] ^= bit;
        if (depth == N - 3) { found++; continue; }
        cs[depth + 1] = cs[depth] | bit;
        ds[depth + 1] = (ds[depth] | bit) << 1;
        es[depth + 1] = (es[depth] | bit) >> 1;
        depth++;
        stack[depth] = all & ~(cs[depth] | ds[depth] | es[depth]);
    }
done:
    b[i].solutions = found;
    b[i].cols = all, b[i].d1 = r, b[i].d2 = c;
}

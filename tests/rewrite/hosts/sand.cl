typedef struct Grain {
    float4 where;
    short kind;
    short age;
    float heat;
    struct {
        int x, y;
    } cell;
} Grain;

kernel void settle(global const Grain *before, global Grain *after, const uint n, const float dt) {
    const uint i = get_global_id(0);
    if (i >= n)
        return;
    Grain g = before[i];
    const uint left = i ? i - 1 : n - 1, right = i + 1 < n ? i + 1 : 0;
    g.heat += (before[left].heat + before[right].heat - 2 * g.heat) * dt;
    g.where.y -= 9.81f * dt * (1 + g.kind);
    g.where.xz += (float2)(0.01f, 0.02f) * g.heat;
    g.cell.x = (int)g.where.x;
    g.cell.y = (int)g.where.y;
    g.age++;
    after[i] = g;
}

kernel void reheat(global Grain *grains, global const float *sources, const uint n) {
    const uint i = get_global_id(0);
    if (i < n && grains[i].kind == 1)
        grains[i].heat += sources[i % 8];
}

// A struct as an argument, with padding in it, and one that a helper takes and gives.
// buffer: out float 8
// run: apply 8/4 p=3,0.5,-2
// expect: out = (i * 3 + 0.5) * -2 + 1
typedef struct rule {
    short factor;
    float plus;
    int scale;
} rule;
rule with_scale(rule r, int scale) {
    r.scale = scale;
    return r;
}
float follow(rule r, float x) { return (x * r.factor + r.plus) * r.scale; }
__kernel void apply(__global float *out, rule p) {
    int i = get_global_id(0);
    out[i] = follow(p, i) + follow(with_scale(p, 0), i) + 1.0f;
}

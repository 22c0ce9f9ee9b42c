//: options -DN=64
//: found advance 64: float f[6], stride 64
//: layouts advance 64: aos soa {f[0],f[1]}{f[2],f[3],f[4],f[5]}:8
// The stride is a macro, and so is the whole index.
#define AT(k, i) ((k) * N + (i))
enum { X, Y, Z, VX, VY, VZ };
__kernel void advance(__global float *f, const float dt) {
    int i = get_global_id(0);
    f[AT(X, i)] += dt * f[AT(VX, i)];
    f[AT(Y, i)] += dt * f[AT(VY, i)];
    f[Z * N + i] += dt * f[VZ * N + i];
    for (int k = 0; k < 3; k++)
        f[AT(k + 3, i)] *= 0.5f;
}

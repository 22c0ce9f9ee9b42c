//: found pull 64: float boid[6]
//: layouts pull 64: soa {boid[0],boid[1],boid[2]}{boid[3],boid[4],boid[5]}
// The index is loaded, and shifted where the number of fields is a power of two.
__kernel void pull(__global float *boid, __global const int *near, __global float *out,
                   const int n) {
    int i = get_global_id(0), j = near[i] % n;
    if (i >= n)
        return;
    float3 d = (float3)(boid[6 * j] - boid[6 * i], boid[6 * j + 1] - boid[6 * i + 1],
                        boid[6 * j + 2] - boid[6 * i + 2]);
    out[i] = dot(d, d);
    boid[i * 6 + 3] += d.x;
    boid[i * 6 + 4] += d.y;
    boid[i * 6 + 5] += d.z;
}

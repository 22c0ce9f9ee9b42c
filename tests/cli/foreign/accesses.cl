/* What is traced for ../test_foreign_traces.sh. */
typedef struct {
    float x, y, z;
    int id;
    float mass;
} body;

/* Coalesced, of 4 and of 16 bytes. */
__kernel void copy(__global const float *in, __global float *out, __global const float4 *wide,
                   __global float4 *wider) {
    size_t i = get_global_id(0);
    out[i] = in[i];
    wider[i] = wide[i];
}

/* Strided over records. */
__kernel void push(__global body *bodies) {
    size_t i = get_global_id(0);
    bodies[i].x += bodies[i].y * 0.5f;
}

/* Some threads, and loops of different lengths. */
__kernel void some(__global const float *in, __global float *out) {
    size_t i = get_global_id(0);
    float sum = 0;
    if (i % 3 != 1)
        for (size_t k = 0; k <= i % 5; k++)
            sum += in[i + k];
    if (i % 2)
        out[i] = sum;
}

/* Records by an index, an atomic, and local memory. */
__kernel void gather(__global const body *bodies, __global const int *index, __global int *count,
                     __global float *out) {
    __local float t[80];
    size_t i = get_global_id(0), l = get_local_id(0);
    int at = index[i];
    t[l] = bodies[at].z;
    atomic_add(&count[at % 7], 1);
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = t[get_local_size(0) - 1 - l] + bodies[at].mass;
}

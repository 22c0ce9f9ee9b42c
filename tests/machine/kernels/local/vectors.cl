// Vectors in local memory, read back by component and as scalars.
// buffer: out float 16
// run: vectors 4/4
// expect: out = 4.0 * (3 - i / 4) + i % 4 + 0.25
__kernel void vectors(__global float *out) {
    __local float4 tile[4];
    int l = get_local_id(0);
    tile[l] = (float4)(4 * l + 0.25f, 4 * l + 1.25f, 4 * l + 2.25f, 4 * l + 3.25f);
    barrier(CLK_LOCAL_MEM_FENCE);
    out[4 * l] = tile[3 - l].x;
    out[4 * l + 1] = tile[3 - l].y;
    out[4 * l + 2] = ((__local float *)&tile[3 - l])[2];
    out[4 * l + 3] = tile[3 - l].s3;
}

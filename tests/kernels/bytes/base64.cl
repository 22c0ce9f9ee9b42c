// flags: -g 128 --local 32 -n 128
// accesses: 5
// rewrites: soa
typedef struct { uchar in[3]; uchar out[4]; } quad;
constant uchar table[65] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
kernel void enc(global quad *q) {
    uint i = get_global_id(0);
    q[i].in[0] = (uchar)i; q[i].in[1] = (uchar)(i >> 1); q[i].in[2] = (uchar)(i * 3);
    uint v = ((uint)q[i].in[0] << 16) | ((uint)q[i].in[1] << 8) | q[i].in[2];
    for (int k = 3; k >= 0; k--) { q[i].out[k] = table[v & 63]; v >>= 6; }
}

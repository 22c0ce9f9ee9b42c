/* A packed record, as network code has them: fields at any byte, some of them arrays and nested
 * structs that are packed themselves. */
#pragma pack(push, 1)
typedef struct {
    uchar tag;
    ushort length;
    uint check;
    ulong stamp;
    float v[3];
    struct stop {
        char kind;
        int place;
    } stops[2];
} packet;
#pragma pack(pop)

typedef struct __attribute__((packed, aligned(8))) {
    char flag;
    float weight;
    short id;
} label;

ushort fold(const __global packet *p) { return (ushort)(p->check ^ (p->check >> 16)); }

void stamp_of(__global ulong *stamp, uint by) { *stamp += by; }

__kernel void forward(__global packet *to, __global const packet *from, __global label *labels,
                      __global int *out, uint n) {
    for (uint i = get_global_id(0); i < n; i += get_global_size(0)) {
        packet whole = from[n - 1 - i];
        to[i] = whole;
        to[i].length = fold(&from[i]);
        to[i].v[i % 3] *= 2.0f;
        to[i].stops[i & 1].place += from[i].stops[1].place;
        to[i].stamp += i;
        labels[i].weight += whole.v[0] + (labels[i].flag ? 1 : labels[i].id);
        out[i] = (int)sizeof(*to) + (int)sizeof(label) + to[i].stops[1].kind;
    }
}

// A vector that is indexed stays whole.
//: laid out k 64: soa
//: not laid out k 64 with pos: 'pos' of 'body' is taken apart in this layout, so it is not changed or indexed in place
typedef struct {
    float4 pos;
    float sum;
} body;
kernel void k(global body *p) {
    int i = get_global_id(0);
    for (int n = 0; n < 4; n++)
        p[i].sum += p[i].pos[n];
}

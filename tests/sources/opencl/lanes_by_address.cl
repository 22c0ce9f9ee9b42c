// A pointer to a vector keeps it whole.
//: laid out k 64: soa
//: not laid out k 64 with pos: 'pos' of 'body' is taken apart in this layout and has no place of its own
typedef struct {
    float4 pos;
    int n;
} body;
void clear(global float4 *v) { *v = 0; }
kernel void k(global body *p) {
    clear(&p[get_global_id(0)].pos);
    p[get_global_id(0)].n++;
}

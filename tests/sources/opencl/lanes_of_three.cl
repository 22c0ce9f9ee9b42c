// A vector of three takes the room of four.
//: fields body: pos float3 0 16, m float 16 4
//: laid out k 64 with pos: soa aos {pos}{m} {pos.x,m}{pos.y,pos.z}:4
typedef struct {
    float3 pos;
    float m;
} body;
kernel void k(global body *p) {
    int i = get_global_id(0);
    p[i].pos += p[i].m;
    p[i].m = dot(p[i].pos, p[i].pos.zxy);
    p[i].pos.z = p[i].pos.x;
}

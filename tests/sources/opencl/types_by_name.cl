// Names of the file's own, enums and size_t are the scalars that they are.
//: fields cell: flags uchar 0 1, id uint 4 4, mass float 8 4, kind unsigned int 12 4, next ulong 16 8, pos float4 32 16
//: header cell: uint32_t id;
//: header cell: uint64_t next;
//: laid out k 64: soa {flags,id,mass}{kind,next,pos}:8
typedef uchar uint8_t;
typedef uint uint32_t;
typedef uint32_t id_t;
typedef float real;
typedef float4 vec;
enum kind { SOLID, FLUID };
struct cell {
    uint8_t flags;
    id_t id;
    real mass;
    enum kind kind;
    ulong next;
    vec pos;
};
kernel void k(global struct cell *c, global const real *v) {
    size_t i = get_global_id(0);
    c[i].mass += v[i];
    c[i].id += c[i].flags;
    c[i].kind = c[i].kind == FLUID ? SOLID : FLUID;
    c[i].next = i;
    c[i].pos += c[i].mass;
}

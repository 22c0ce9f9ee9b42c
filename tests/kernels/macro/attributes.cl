// flags: -g 256 --local 64 -n 4096
// accesses: 1
// layouts: aosoa:32
typedef struct __attribute__((aligned(32))) { float x; float y; } R;
__attribute__((reqd_work_group_size(64, 1, 1))) __attribute__((vec_type_hint(float4))) __kernel void k(__global R *restrict p __attribute__((unused))) { p[get_global_id(0)].x = 1; }

// Halves as fields of a record.
//: accesses move: load p.speed 8, load p.position 8, store p.position 8
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
typedef struct { half4 position, speed; half mass; ushort kind; } particle;
kernel void move(global particle *p, half dt) {
    size_t i = get_global_id(0);
    p[i].position += p[i].speed * dt;
}

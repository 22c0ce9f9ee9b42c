// Blocks that a sub-group reads from an image: a component is a row.
//: options --heddle-known=images=0x10b5,0x10de
//: accesses rows: load in 4, load in 4, store y 4
__attribute__((intel_reqd_sub_group_size(16))) kernel void rows(global uint *y,
                                                               read_only image2d_t in) {
    uint2 two = intel_sub_group_block_read2(in, (int2)(0, 1));
    y[get_global_id(0)] = two.x + two.y;
}

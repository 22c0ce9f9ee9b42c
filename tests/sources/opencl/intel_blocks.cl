// Reads and writes of blocks: each lane its element, one component behind the other.
//: accesses copy: load x 4, load x 4, store y 4, store y 4
//: accesses bytes: load x 1, store y 1
//: run copy 8: 0 1 2 3 4 5 6 7
//: run bytes 8: 1 2 3 4 5 6 7 8
__attribute__((intel_reqd_sub_group_size(8))) kernel void copy(global uint *y, global const uint *x) {
    uint which = get_sub_group_id() * 16;
    if (get_global_size(0) > 8)
        intel_sub_group_block_write2(y + which, intel_sub_group_block_read2(x + which));
}
__attribute__((intel_reqd_sub_group_size(8))) kernel void bytes(global uchar *y,
                                                               global const uchar *x) {
    intel_sub_group_block_write_uc(y, intel_sub_group_block_read_uc(x) + (uchar)1);
}

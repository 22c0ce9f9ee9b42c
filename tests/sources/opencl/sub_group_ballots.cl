// Ballots, and what is counted in them.
//: run counts 4: 10 2 1 3
//: run scans 4: 0 10 11 21
//: run bits 4: 0 11 0 11
//: run masks 4: 1 2 4 8
//: run lower 4: 0 1 3 7
kernel void counts(global uint *y) {
    uint4 b = sub_group_ballot(get_sub_group_local_id() % 2);
    uint n = sub_group_ballot_bit_count(b);
    uint low = sub_group_ballot_find_lsb(b), high = sub_group_ballot_find_msb(b);
    y[0] = b.x, y[1] = n, y[2] = low, y[3] = high;
}
kernel void scans(global uint *y) {
    uint lane = get_sub_group_local_id();
    uint4 b = sub_group_ballot(lane % 2);
    y[lane] = sub_group_ballot_inclusive_scan(b) * 10 + sub_group_ballot_exclusive_scan(b);
}
kernel void bits(global int *y) {
    uint lane = get_sub_group_local_id();
    uint4 b = sub_group_ballot(lane % 2);
    y[lane] = sub_group_inverse_ballot(b) * 10 + sub_group_ballot_bit_extract(b, lane);
}
kernel void masks(global uint *y) { y[get_sub_group_local_id()] = get_sub_group_eq_mask().x; }
kernel void lower(global uint *y) { y[get_sub_group_local_id()] = get_sub_group_lt_mask().x; }

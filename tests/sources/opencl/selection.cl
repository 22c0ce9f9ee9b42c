// select takes a scalar that is not zero, and a component whose highest bit is set; bitselect
// takes bits.
//: run scalar 4: 10 20 20 20
//: run vector 2: 10 21 10 21 10 21 10 21
//: run bits 4: 240 241 242 243
kernel void scalar(global int *y) {
    size_t i = get_global_id(0);
    y[i] = select(10, 20, y[i]);
}
kernel void vector(global int4 *y) {
    size_t i = get_global_id(0);
    y[i] = select((int4)10, (int4)21, (int4)(1, -1, 0, INT_MIN));
}
kernel void bits(global int *y) {
    size_t i = get_global_id(0);
    y[i] = bitselect(y[i], 0xff, 0xf0);
}

// Components by a mask, and swizzles.
//: run one 1: 3 2 1 0
//: run two 1: 0 4 1 5
//: run parts 1: 2 3 0 2
//: run widened 1: 1 3 0 0
kernel void one(global int4 *y) { y[0] = shuffle(y[0], (uint4)(3, 2, 1, 0)); }
kernel void two(global int4 *y) { y[0] = shuffle2(y[0], y[0] + 4, (uint4)(0, 4, 1, 5)); }
kernel void parts(global int4 *y) { y[0] = (int4)(y[0].hi, y[0].even); }
kernel void widened(global int4 *y) {
    int8 v = (int8)(y[0], y[0]);
    v.s7 = v.odd.x;
    y[0] = (int4)(v.s7, v.lo.w, v.s04);
}

// Conversions that saturate, and that round on the way.
//: run saturated 4: 255 0 127 -128
//: run rounded 4: 2 3 2 -3
kernel void saturated(global int *y) {
    if (get_global_id(0) == 0) {
        y[0] = convert_uchar_sat(300.7f), y[1] = convert_uchar_sat(-5);
        y[2] = convert_char_sat_rte(126.7f), y[3] = convert_char4_sat((int4)-1000).w;
    }
}
kernel void rounded(global int *y) {
    if (get_global_id(0) == 0) {
        y[0] = convert_int_rte(2.5f), y[1] = convert_int_rtp(2.5f);
        y[2] = convert_int(2.9f), y[3] = convert_int_rtn(-2.5f);
    }
}

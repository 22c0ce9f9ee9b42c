// Vectors of floats, ints and chars, and strings.
// buffer: in int4 1 = k * 11
// run: say 1/1
// prints: 0,11,22,33
// prints: 0.50,1.50
// prints: 1,2,3,255
// prints: name=heddle
__kernel void say(__global const int4 *in) {
    printf("%v4hld\n", in[0]);
    printf("%.2v2hlf\n", (float2)(0.5f, 1.5f));
    printf("%v4hhu\n", (uchar4)(1, 2, 3, 255));
    printf("%s=%s\n", "name", "heddle");
}

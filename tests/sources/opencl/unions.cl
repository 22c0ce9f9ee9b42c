// A union reads the bits of one member as another.
//: run parts 2: 16256 16384
typedef union { float value; ushort half_words[2]; } word;
kernel void parts(global int *y) {
    word w;
    w.value = (float)(get_global_id(0) + 1);
    y[get_global_id(0)] = w.half_words[1];
}

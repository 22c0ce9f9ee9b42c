// The letters of a string.
// buffer: out uchar 6
// run: letters 6/6
// expect: out = {104 101 100 100 108 101}
__constant char word[] = "heddle";
__kernel void letters(__global uchar *out) {
    int i = get_global_id(0);
    out[i] = word[i];
}

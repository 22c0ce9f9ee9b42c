// Structs in constant memory, with an array in them.
// buffer: out float 6
// run: look 6/3
// expect: out = i % 2 ? 2.5 + (i % 3) : 1.0 + 10 * (i % 3)
typedef struct pair {
    char name;
    float value[3];
} pair;
__constant pair pairs[2] = {{'a', {1.0f, 11.0f, 21.0f}}, {'b', {2.5f, 3.5f, 4.5f}}};
__kernel void look(__global float *out) {
    int i = get_global_id(0);
    if (pairs[i % 2].name == 'a' + i % 2)
        out[i] = pairs[i % 2].value[i % 3];
}

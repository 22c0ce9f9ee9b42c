/* Two floats of each element to another array: after simpleMathAoS and simpleMathSoA of Cheng, Grossman
 * and McKercher, "Professional CUDA C Programming", chapter 4. */
typedef struct pair {
    float x, y;
} pair;

__kernel void add(__global const pair *data, __global pair *result, int n) {
    int i = get_global_id(0);
    if (i >= n)
        return;
    result[i].x = data[i].x + 10.0f;
    result[i].y = data[i].y + 20.0f;
}

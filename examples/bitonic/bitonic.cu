/* bitonic.cl in CUDA C: one stage of the same network. */
struct element {
    unsigned key;
    unsigned first, second, third; /* the payload moves with its key */
};

extern "C" __global__ void stage(element *elements, unsigned block, unsigned distance) {
    unsigned pair = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned low = 2 * pair - (pair & (distance - 1));
    unsigned high = low + distance;
    bool upwards = (low & block) == 0;

    element a = elements[low];
    element b = elements[high];
    if ((a.key > b.key) == upwards) {
        elements[low] = b;
        elements[high] = a;
    }
}

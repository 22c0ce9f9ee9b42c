/*
 * Bitonic sort (Batcher, 1968) of elements that carry a payload. The network
 * for 2^n elements has n (n + 1) / 2 stages; each launch is one of them.
 *
 *     for (block = 2; block <= count; block *= 2)
 *         for (distance = block / 2; distance >= 1; distance /= 2)
 *             stage(elements, block, distance)
 *
 * After the stages of one `block`, every run of that many elements is sorted,
 * upwards and downwards by turns.
 *
 * One work-item per pair of elements.
 */
typedef struct element {
    uint key;
    uint first, second, third; /* the payload moves with its key */
} element;

__kernel void stage(__global element *elements, uint block, uint distance) {
    uint pair = get_global_id(0);
    uint low = 2 * pair - (pair & (distance - 1));
    uint high = low + distance;
    bool upwards = (low & block) == 0;

    element a = elements[low];
    element b = elements[high];
    if ((a.key > b.key) == upwards) {
        elements[low] = b;
        elements[high] = a;
    }
}

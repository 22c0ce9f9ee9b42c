/* Random numbers from a seed. */
#include "base/base.h"

uint64_t hd_next_random(uint64_t *state) {
    uint64_t z = *state += HD_RANDOM_STEP;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

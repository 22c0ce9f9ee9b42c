/* Non-bonded forces in plain C; see nbf.cl. */
#ifndef NBF_REFERENCE_H
#define NBF_REFERENCE_H

#include <stddef.h>
#include <stdint.h>

typedef struct nbf_atom {
    float x, y, z, charge;
    float fx, fy, fz;
} nbf_atom;

/* partners[first[i]] to partners[first[i + 1] - 1] are those of atom i with which no other
 * pair was made. */
void nbf_step(nbf_atom *atoms, size_t count, const uint32_t *first, const uint32_t *partners,
              double step);

#endif

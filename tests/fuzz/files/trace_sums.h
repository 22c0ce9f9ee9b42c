/* Damage to a trace file that its checksums do not show. */
#ifndef HD_FUZZ_TRACE_SUMS_H
#define HD_FUZZ_TRACE_SUMS_H

#include <stddef.h>
#include <stdint.h>

/* Makes all checksums right again: those of the head, of each chunk as far as lengths lead, and of
 * the foot, where there is one. */
void fix_trace_checksums(uint8_t *bytes, size_t length);

#endif

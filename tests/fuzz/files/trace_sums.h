#ifndef HD_FUZZ_TRACE_SUMS_H
#define HD_FUZZ_TRACE_SUMS_H
#include <stddef.h>
#include <stdint.h>
void fix_trace_checksums(uint8_t *bytes, size_t length);
#endif

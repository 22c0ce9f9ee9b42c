/* Figures that fit a column: three significant digits and a unit. */
#ifndef HD_NUMBER_H
#define HD_NUMBER_H

#include "base/base.h"

/* "0", "950", "1.23k", "45.6M": three digits from a thousand on. */
const char *hd_show_count(hd_arena *arena, double value);
/* "1234567". */
const char *hd_show_exact(hd_arena *arena, uint64_t count);
/* "1 block", "1.23k blocks": `ending` makes the word plural. */
const char *hd_show_counted(hd_arena *arena, uint64_t count, const char *word, const char *ending);
/* "1.53x"; "-" when it is not a finite number. */
const char *hd_show_ratio(hd_arena *arena, double value);
/* "12.3 ns", "4.56 us", "789 ms", "1.23 s". */
const char *hd_show_seconds(hd_arena *arena, double seconds);
/* "4.56 uJ"; also negative, of what idle power was subtracted from. */
const char *hd_show_small(hd_arena *arena, double value, const char *unit);
/* "12.5%". */
const char *hd_show_share(hd_arena *arena, double share);
/* "128 B", "48 KiB", "1.5 MiB". */
const char *hd_show_bytes(hd_arena *arena, uint64_t bytes);

#endif

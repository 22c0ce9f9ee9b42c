/* The profile database of this user, for benchmarks. */
#ifndef HD_BENCH_SHARED_DATABASE_H
#define HD_BENCH_SHARED_DATABASE_H

#include "measure/database.h"

/* The one that heddle uses (docs/profile-database.md says where it is). NULL when it cannot be
 * used. */
hd_database *open_database(hd_arena *arena, const hd_diag *diag);

#endif

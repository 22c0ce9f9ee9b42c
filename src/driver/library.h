/* Libraries of drivers, which are opened when they are first needed, and their functions. */
#ifndef HD_DRIVER_LIBRARY_H
#define HD_DRIVER_LIBRARY_H

#include "base/base.h"

/* Where a function goes in a struct of them, and what the library calls it. */
typedef struct driver_symbol {
    size_t offset;
    const char *name;
    bool is_optional; /* NULL where the library has none */
} driver_symbol;

typedef struct driver_library {
    const char *file;          /* what messages call it */
    const char *const *places; /* that are looked in, in turn; NULL ends them */
    bool may_be_linked;        /* then the program's own comes first */
    const char *install;       /* what helps where there is none, */
    const char *update;        /* and where it lacks a function */
    const driver_symbol *symbols;
    size_t symbol_count;
} driver_library;

/* Fills the functions. NULL, or what is missing and how to mend it. A library stays open until the
 * process ends: drivers have threads of their own, and none can be unloaded safely. */
const char *driver_library_open(hd_arena *arena, const driver_library *library, void *functions);

#endif

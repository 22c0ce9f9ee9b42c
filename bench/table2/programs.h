/* What table 2 of Kofler, Cosenza and Fahringer says of its five programs, and what is run here. */
#ifndef HD_BENCH_TABLE2_PROGRAMS_H
#define HD_BENCH_TABLE2_PROGRAMS_H

enum { PROGRAMS = 5, DOCUMENT_DEVICES = 3 };

typedef struct program {
    const char *title, *name;         /* the document's, and that of bench/table2/NAME.yaml */
    double speedup[DOCUMENT_DEVICES]; /* of its layout over AoS */
} program;

extern const program programs[PROGRAMS];
extern const char *const document_devices[DOCUMENT_DEVICES];

#endif

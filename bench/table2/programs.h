/* What Kofler, Cosenza and Fahringer say of their five programs and three GPUs, and what is run
 * here. */
#ifndef HD_BENCH_TABLE2_PROGRAMS_H
#define HD_BENCH_TABLE2_PROGRAMS_H

enum { PROGRAMS = 5, DOCUMENT_DEVICES = 3 };

typedef struct program {
    const char *title, *name;         /* the document's, and that of bench/table2/NAME.yaml */
    double speedup[DOCUMENT_DEVICES]; /* of its layout over AoS, table 2 */
    const char *selected;             /* what section 4 says of that layout */
} program;

/* A GPU of the document; epsilon and tree of its table 1 are in the profile. */
typedef struct document_device {
    const char *name, *profile;
} document_device;

extern const program programs[PROGRAMS];
extern const document_device document_devices[DOCUMENT_DEVICES];

#endif

#ifndef MACROS_H
#define MACROS_H
#define GID get_global_id(0)
#define FIELD(s, f) ((s).f)
typedef struct shared { float a; int b; float c[2]; } shared;
static inline float twice(__global const shared *s, int i) { return 2 * s[i].a; }
#endif

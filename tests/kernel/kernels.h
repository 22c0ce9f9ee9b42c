/* What kernels in the text form begin with. Whole ones, each around one thing that the analysis
 * must see, are the files of kernels/. */
#ifndef TEST_KERNELS_H
#define TEST_KERNELS_H

#include "source_text.h"

static const char *const kernel_names[] = {"straight", "nested",   "triangle", "reduce",
                                           "bitonic",  "strided",  "guarded",  "early",
                                           "bounds",   "wrapping", "narrow"};
enum { KERNELS = sizeof kernel_names / sizeof *kernel_names };

/* The text of the file of that name. */
static inline char *kernel_text(hd_arena *arena, const char *name) {
    return source_text(arena, hd_format(arena, "tests/kernel/kernels/%s.kir", name));
}

#define RECORDS                                                                 \
    "file \"test.cl\"\n"                                                        \
    "record \"vec\" size 8 align 4 { \"a\" \"float\" offset 0 size 4 align 4\n" \
    "  \"b\" \"float\" offset 4 size 4 align 4 }\n"                             \
    "record \"body\" type \"struct body\" size 28 align 4 {\n"                  \
    "  \"x\" \"float\" offset 0 size 4 align 4\n"                               \
    "  \"d\" \"float\" offset 4 size 12 align 4 count 3\n"                      \
    "  \"v\" \"struct vec\" offset 16 size 8 align 4 record \"vec\"\n"          \
    "  \"id\" \"int\" offset 24 size 4 align 4 }\n"

#define PARAMS                                     \
    "  param \"p\" ptr.global record \"body\"\n"   \
    "  param \"f\" ptr.global element 4\n"         \
    "  param \"n\" i32\n"                          \
    "  static \"tile\" local bytes 4096 align 4\n"

#define LEAVES                                                                   \
    "  %p = param ptr.global 0\n  %f = param ptr.global 1\n  %n = param i32 2\n" \
    "  %tile = static ptr.local 0\n  %z = const i32 0\n  %one = const i32 1\n"   \
    "  %two = const i32 2\n  %three = const i32 3\n  %ten = const i32 10\n"      \
    "  %mask = const i64 7\n  %three64 = const i64 3\n"

#define KERNEL(name, body) RECORDS "kernel \"" name "\" {\n" PARAMS "b0:\n" LEAVES body "}\n"

#endif

/* Kernels in the text form, each around one thing that the analysis must see. */
#ifndef TEST_KERNELS_H
#define TEST_KERNELS_H

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

/* Ids, casts, masks, divisions by powers of two, disjoint bits, mad24, vectors. */
#define STRAIGHT                                                                                   \
    KERNEL("straight",                                                                             \
           "  %und = undef i32x2\n  %g = query global_id i64 %z\n"                                 \
           "  %h = query global_id i64 %one\n"                                                     \
           "  %l = query local_id i64 %z\n  %w = query group_id i64 %z\n"                          \
           "  %lin = query local_linear_id i64\n  %glin = query global_linear_id i64\n"            \
           "  %s = query global_size i64 %z\n  %g32 = trunc i32 %g\n  %m = mul i32 %g32, %three\n" \
           "  %m64 = sext i64 %m\n  %row = mul i64 %h, %s\n  %at = add i64 %row, %g\n"             \
           "  %low = and i64 %g, %mask\n  %high = lshr i64 %g, %three64\n"                         \
           "  %shifted = shl i64 %w, %three64\n  %or = or i64 %shifted, %low\n"                    \
           "  %mad = call \"mad24\" i32 %g32, %three, %n\n  %mad64 = sext i64 %mad\n"              \
           "  %a0 = addr ptr.global %p + %at*28 + 24 in \"body\" + 24\n"                           \
           "  %v0 = load i32 %a0 align 4 !3:1\n"                                                   \
           "  %a1 = addr ptr.global %f + %m64*4 + 8\n  %v1 = load i32 %a1 !4:1\n"                  \
           "  %a2 = addr ptr.global %f + %low*4 + %high*4\n  %v2 = load i32 %a2 !5:1\n"            \
           "  %a3 = addr ptr.global %f + %or*4\n  store %v0, %a3 !6:1\n"                           \
           "  %a4 = addr ptr.global %f + %mad64*4\n  store %v1, %a4 !7:1\n"                        \
           "  %a5 = addr ptr.global %f + %lin*4 + %glin*16\n  store %v2, %a5 !8:1\n"               \
           "  %vec = insert i32x2 %und, %m, %one\n  %lane = extract i32 %vec, %one\n"              \
           "  %lane64 = sext i64 %lane\n  %a6 = addr ptr.global %p + %lane64*28 + 16 in \"body\" " \
           "+ 16\n"                                                                                \
           "  %a7 = addr ptr.global %a6 + 4 in \"vec\" + 4\n  store %v2, %a7 !9:1\n  ret\n")

/* for (i = 2; i < n; i += 3) { for (j = 0; j < 3; j++) p[i].d[j - 1 + 1]; q += 2; } f[i], *q */
#define NESTED                                                                              \
    KERNEL("nested", "  %m1 = const i32 -1\n  br outer\n"                                   \
                     "outer:\n  %i = phi i32 [%two, b0], [%i2, out]\n"                      \
                     "  %q = phi ptr.global [%f, b0], [%q2, out]\n"                         \
                     "  %c = icmp slt i1 %i, %n\n  condbr %c, in, done\n"                   \
                     "in:\n  %j = phi i32 [%z, outer], [%j2, body]\n"                       \
                     "  %r = phi ptr.global [%q, outer], [%r2, body]\n"                     \
                     "  %cj = icmp ult i1 %j, %three\n  condbr %cj, body, out\n"            \
                     "body:\n  %i64 = sext i64 %i\n  %j64 = zext i64 %j\n"                  \
                     "  %jm = add i32 %j, %m1\n  %jm64 = sext i64 %jm\n"                    \
                     "  %a = addr ptr.global %p + %i64*28 + %jm64*4 + 36 in \"body\" + 8\n" \
                     "  %v = load i32 %a !12:5\n  store %v, %r !13:5\n"                     \
                     "  %r2 = addr ptr.global %r + 4\n  %j2 = add i32 %j, %one\n  br in\n"  \
                     "out:\n  store %j, %r !15:1\n  %q2 = addr ptr.global %r + 8\n"         \
                     "  %i2 = add i32 %i, %three\n  br outer\n"                             \
                     "done:\n  %id64 = sext i64 %i\n  %e = addr ptr.global %f + %id64*4\n"  \
                     "  store %i, %e !18:1\n  store %i, %q !19:1\n  ret\n")

/* for (i = 0; i <= lid; i++) for (j = i; j != 0; j--) f[i * 16 + j] */
#define TRIANGLE                                                                                   \
    KERNEL("triangle",                                                                             \
           "  %four = const i32 4\n  %m1 = const i32 -1\n  %l = query local_id i64 %z\n"           \
           "  %l32 = trunc i32 %l\n  br outer\n"                                                   \
           "outer:\n  %i = phi i32 [%z, b0], [%i2, out]\n"                                         \
           "  %c = icmp sgt i1 %i, %l32\n  condbr %c, done, in\n"                                  \
           "in:\n  %j = phi i32 [%i, outer], [%j2, body]\n"                                        \
           "  %cj = icmp ne i1 %j, %z\n  condbr %cj, body, out\n"                                  \
           "body:\n  %row = shl i32 %i, %four\n  %at = add i32 %row, %j\n  %at64 = sext i64 %at\n" \
           "  %a = addr ptr.global %f + %at64*4\n  %v = load i32 %a !5:1\n"                        \
           "  %j2 = add i32 %j, %m1\n  br in\n"                                                    \
           "out:\n  %i2 = add i32 %i, %one\n  br outer\ndone:\n  ret\n")

/* for (s = local_size / 2; s > 0; s >>= 1) { if (lid < s) tile[lid] = tile[lid + s];
 * tile[s + s / 2] = lid; } */
#define REDUCE                                                                                \
    KERNEL("reduce",                                                                          \
           "  %z64 = const i64 0\n  %one64 = const i64 1\n  %l = query local_id i64 %z\n"     \
           "  %size = query local_size i64 %z\n  %half = lshr i64 %size, %one64\n  br head\n" \
           "head:\n  %s = phi i64 [%half, b0], [%s2, next]\n"                                 \
           "  %c = icmp ugt i1 %s, %z64\n  condbr %c, body, done\n"                           \
           "body:\n  %in = icmp ult i1 %l, %s\n  condbr %in, work, next\n"                    \
           "work:\n  %at = add i64 %l, %s\n  %a = addr ptr.local %tile + %at*4\n"             \
           "  %v = load i32 %a !7:1\n  %b = addr ptr.local %tile + %l*4\n"                    \
           "  store %v, %b !7:9\n  br next\n"                                                 \
           "next:\n  barrier %one\n  %s2 = lshr i64 %s, %one64\n  %sum = add i64 %s, %s2\n"   \
           "  %e = addr ptr.local %tile + %sum*4\n  store %l, %e !9:1\n  br head\n"           \
           "done:\n  ret\n")

/* for (k = 2; k <= 64; k *= 2) for (j = k / 2; j > 0; j /= 2) tile[lid ^ j], tile[k] */
#define BITONIC                                                                                \
    KERNEL("bitonic",                                                                          \
           "  %last = const i32 64\n  %l = query local_id i64 %z\n  %l32 = trunc i32 %l\n"     \
           "  br outer\n"                                                                      \
           "outer:\n  %k = phi i32 [%two, b0], [%k2, out]\n"                                   \
           "  %c = icmp sle i1 %k, %last\n  condbr %c, prepare, done\n"                        \
           "prepare:\n  %start = sdiv i32 %k, %two\n  br in\n"                                 \
           "in:\n  %j = phi i32 [%start, prepare], [%j2, body]\n"                              \
           "  %cj = icmp sgt i1 %j, %z\n  condbr %cj, body, out\n"                             \
           "body:\n  %x = xor i32 %l32, %j\n  %x64 = sext i64 %x\n"                            \
           "  %a = addr ptr.local %tile + %x64*4\n  %v = load i32 %a !7:1\n"                   \
           "  %k64 = sext i64 %k\n  %b = addr ptr.local %tile + %k64*4\n  store %v, %b !8:1\n" \
           "  %j2 = sdiv i32 %j, %two\n  br in\n"                                              \
           "out:\n  %k2 = mul i32 %k, %two\n  br outer\ndone:\n  ret\n")

/* for (i = gid; i < 100; i += global_size) f[p[i].id] = ..., atomic on tile[p[i].id] */
#define STRIDED                                                                                 \
    KERNEL("strided",                                                                           \
           "  %end = const i64 100\n  %g = query global_id i64 %z\n"                            \
           "  %s = query global_size i64 %z\n  br head\n"                                       \
           "head:\n  %i = phi i64 [%g, b0], [%i2, body]\n"                                      \
           "  %c = icmp slt i1 %i, %end\n  condbr %c, body, done\n"                             \
           "body:\n  %a = addr ptr.global %p + %i*28 + 24 in \"body\" + 24\n"                   \
           "  %id = load i32 %a !12:7\n  %id64 = sext i64 %id\n"                                \
           "  %b = addr ptr.global %p + %id64*28 + 28 in \"body\" + 0\n  store %id, %b !13:1\n" \
           "  %t = addr ptr.local %tile + %id64*4\n  %old = atomic add i32 %t, %one !14:1\n"    \
           "  %i2 = add i64 %i, %s\n  br head\ndone:\n  ret\n")

/* if (gid >= n) return; if (!(l != 0 && l < 5)) ...; 1 <= x < 9 unsigned; switch; select */
#define GUARDED                                                                                   \
    KERNEL("guarded",                                                                             \
           "  %n64 = const i64 20\n  %z64 = const i64 0\n  %five = const i64 5\n"                 \
           "  %m1 = const i64 -1\n  %eight = const i64 8\n  %true = const i1 1\n"                 \
           "  %false = const i1 0\n  %g = query global_id i64 %z\n  %l = query local_id i64 %z\n" \
           "  %w = query group_id i64 %z\n  %out = icmp sge i1 %g, %n64\n"                        \
           "  condbr %out, end, work\n"                                                           \
           "work:\n  %a = addr ptr.global %f + %g*4\n  %v = load i32 %a !2:1\n"                   \
           "  %c1 = icmp ne i1 %l, %z64\n  %c2 = icmp ult i1 %l, %five\n"                         \
           "  %both = and i1 %c1, %c2\n  %none = xor i1 %both, %true\n"                           \
           "  condbr %none, second, first\n"                                                      \
           "first:\n  store %v, %a !3:1\n  br second\n"                                           \
           "second:\n  %lm = add i64 %g, %m1\n  %in = icmp ult i1 %lm, %eight\n"                  \
           "  condbr %in, third, fourth\n"                                                        \
           "third:\n  store %v, %a !4:1\n  br fourth\n"                                           \
           "fourth:\n  %sel = select i1 %c1, %c2, %false\n  condbr %sel, fifth, sixth\n"          \
           "fifth:\n  store %v, %a !5:1\n  br sixth\n"                                            \
           "sixth:\n  switch %w, eighth [0: seventh, 1: case1, 2: shared, 3: shared]\n"           \
           "seventh:\n  store %v, %a !6:1\n  br eighth\n"                                         \
           "case1:\n  store %v, %a !7:1\n  br eighth\n"                                           \
           "shared:\n  store %v, %a !8:1\n  br eighth\n"                                          \
           "eighth:\n  %data = icmp slt i1 %v, %ten\n  condbr %data, ninth, end\n"                \
           "ninth:\n  store %v, %a !9:1\n  br end\n"                                              \
           "end:\n  ret\n")

/* do { if (data) break; } while (++i < 10); and do ... while, once per work-item */
#define EARLY                                                                                      \
    KERNEL("early", "  %five = const i32 5\n  br head\n"                                           \
                    "head:\n  %i = phi i32 [%z, b0], [%i2, latch]\n  %i64 = sext i64 %i\n"         \
                    "  %a = addr ptr.global %f + %i64*4\n  %v = load i32 %a !3:1\n"                \
                    "  %stop = icmp eq i1 %v, %three\n  condbr %stop, after, latch\n"              \
                    "latch:\n  %i2 = add i32 %i, %one\n  %c = icmp slt i1 %i2, %ten\n"             \
                    "  condbr %c, head, after\n"                                                   \
                    "after:\n  br single\n"                                                        \
                    "single:\n  %k = phi i32 [%ten, after], [%k2, single]\n  %k64 = sext i64 %k\n" \
                    "  %b = addr ptr.global %f + %k64*4\n  store %k, %b !7:1\n"                    \
                    "  %k2 = sub i32 %k, %two\n  %ck = icmp uge i1 %k2, %two\n"                    \
                    "  condbr %ck, single, done\n"                                                 \
                    "done:\n  %e64 = sext i64 %i\n  %e = addr ptr.global %f + %e64*4\n"            \
                    "  store %k, %e !9:1\n  %e2 = addr ptr.global %f + %k64*4\n"                   \
                    "  store %k, %e2 !10:1\n  ret\n")

/* for (a = 0; a < (n < 5 ? n : 5); a++); for (b = 0; b * b < n; b++); for (e = p; e != p + n; e++) */
#define BOUNDS                                                                                 \
    KERNEL("bounds",                                                                           \
           "  %five = const i32 5\n  %n64 = sext i64 %n\n"                                     \
           "  %end = addr ptr.global %p + %n64*28\n  br head\n"                                \
           "head:\n  %a = phi i32 [%z, b0], [%a2, body]\n  %few = icmp slt i1 %n, %five\n"     \
           "  %least = select i32 %few, %n, %five\n  %c = icmp slt i1 %a, %least\n"            \
           "  condbr %c, body, second\n"                                                       \
           "body:\n  %a64 = sext i64 %a\n  %at = addr ptr.global %f + %a64*4\n"                \
           "  store %a, %at !3:1\n  %a2 = add i32 %a, %one\n  br head\n"                       \
           "second:\n  %b = phi i32 [%z, head], [%b2, square]\n  %bb = mul i32 %b, %b\n"       \
           "  %cb = icmp slt i1 %bb, %n\n  condbr %cb, square, third\n"                        \
           "square:\n  %bb64 = sext i64 %bb\n  %bt = addr ptr.global %f + %bb64*4\n"           \
           "  store %b, %bt !5:1\n  %b2 = add i32 %b, %one\n  br second\n"                     \
           "third:\n  %e = phi ptr.global [%p, second], [%e2, walk]\n"                         \
           "  %ce = icmp ne i1 %e, %end\n  condbr %ce, walk, done\n"                           \
           "walk:\n  %v = load i32 %e !7:1\n  %e2 = addr ptr.global %e + 28 in \"body\" + 0\n" \
           "  br third\ndone:\n  ret\n")

/* Unsigned counters that start below zero, or end when they wrap:
 * for (i = lid - 2; (uint)i < 10; i++) f[i]; for (uint j = 9; j < 10; j--) f[j]; */
#define WRAPPING                                                                              \
    KERNEL("wrapping",                                                                        \
           "  %m1 = const i32 -1\n  %m2 = const i32 -2\n  %nine = const i32 9\n"              \
           "  %l = query local_id i64 %z\n  %l32 = trunc i32 %l\n  %i0 = add i32 %l32, %m2\n" \
           "  br up\nup:\n  %i = phi i32 [%i0, b0], [%i2, in]\n"                              \
           "  %c = icmp ult i1 %i, %ten\n  condbr %c, in, between\n"                          \
           "in:\n  %i64 = sext i64 %i\n  %a = addr ptr.global %f + %i64*4\n"                  \
           "  %v = load i32 %a !5:1\n  %i2 = add i32 %i, %one\n  br up\n"                     \
           "between:\n  br down\ndown:\n  %j = phi i32 [%nine, between], [%j2, body]\n"       \
           "  %d = icmp ult i1 %j, %ten\n  condbr %d, body, done\n"                           \
           "body:\n  %j64 = zext i64 %j\n  %b = addr ptr.global %f + %j64*4\n"                \
           "  %w = load i32 %b !6:1\n  %j2 = add i32 %j, %m1\n  br down\ndone:\n  ret\n")

/* Ids in chars and shorts: f[(short)gid], f[(uchar)(4 * gid)], f[(char)(4 * gid)]. */
#define NARROW                                                                                   \
    KERNEL("narrow",                                                                             \
           "  %four = const i64 4\n  %g = query global_id i64 %z\n  %s = trunc i16 %g\n"         \
           "  %s64 = sext i64 %s\n  %a = addr ptr.global %f + %s64*4\n  %u = load i32 %a !5:1\n" \
           "  %m = mul i64 %g, %four\n  %c = trunc i8 %m\n  %c64 = zext i64 %c\n"                \
           "  %b = addr ptr.global %f + %c64*4\n  %v = load i32 %b !6:1\n"                       \
           "  %d64 = sext i64 %c\n  %d = addr ptr.global %f + %d64*4\n"                          \
           "  %w = load i32 %d !7:1\n  ret\n")

#define ALL_KERNELS \
    {STRAIGHT, NESTED, TRIANGLE, REDUCE, BITONIC, STRIDED, GUARDED, EARLY, BOUNDS, WRAPPING, NARROW}

#endif

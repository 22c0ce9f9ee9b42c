/*
 * Sanitized, everything takes several times as long, the compilers that are called included, in
 * which nothing of ours is tested. Where a test goes through many cases of one kind for which a
 * kernel each is compiled, a sanitized build tries some of them; the release build tries all.
 */
#ifndef HD_TESTS_SANITIZED_H
#define HD_TESTS_SANITIZED_H

#ifdef __SANITIZE_ADDRESS__
#define SANITIZED 1
#else
#define SANITIZED 0
#endif

/* Whether case number `i` is tried: sanitized, every `every`-th. */
#define IS_TRIED(i, every) (!SANITIZED || (i) % (every) == 0)

#endif

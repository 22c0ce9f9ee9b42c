/*
 * fuzz_rewrites --count N --seed S: N random programs, each rewritten to random layouts.
 *
 * A program of which something is wrong is made small and left, with its job and its layouts, in
 * the folder fuzz-S-I, where I is its number; --first I --count 1 tries it again.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "fuzz/rewrites/rewrites.h"

enum { BATCH = 10 };

typedef struct attempt {
    hd_arena *arena;
    const char *folder, *why;
    program *program;
    verdict wanted;
} attempt;

/* What the first message says, without its place and what it quotes: how it begins. */
static bool same_words(const char *a, const char *b) {
    const char *in_a = strstr(a, ": "), *in_b = strstr(b, ": ");
    return in_a && in_b && !strncmp(in_a, in_b, 30);
}

static bool still(void *user) {
    const attempt *a = user;
    hd_str told = {.arena = a->arena};
    write_program(a->arena, a->folder, a->program);
    return check_program(a->arena, a->folder, a->program, &told) == a->wanted &&
           (a->wanted == DIFFERENT || same_words(hd_str_text(&told), a->why));
}

static void make_small(const char *folder, program *p, verdict wanted, const char *why) {
    attempt a = {hd_arena_new(), folder, why, p, wanted};
    static const char *const simple[] = {"aos", "soa", "da"};
    for (size_t l = 0; l < p->layouts.count; l++)
        for (int i = 0; i < 3 && p->layouts.data[l]; i++) {
            const char *before = p->layouts.data[l];
            p->layouts.data[l] = simple[i];
            if (still(&a))
                break;
            p->layouts.data[l] = before;
        }
    fuzz_shrink(p->source, still, &a);
    if (p->header)
        fuzz_shrink(p->header, still, &a);
    write_program(a.arena, folder, p);
    hd_arena_free(a.arena);
}

static bool is_right(const task *t, uint32_t index) {
    static const char *const words[] = {"", "different", "refused", "not run"};
    hd_arena *arena = hd_arena_new();
    const char *folder = hd_format(arena, "fuzz-%lu-%u", (unsigned long)t->seed, index);
    program *p = make_program(arena, fuzz_seed(t, index));
    hd_str told = {.arena = arena};
    mkdir(folder, 0777);
    write_program(arena, folder, p);
    verdict found = check_program(arena, folder, p, &told);
    write_program(arena, folder, p); /* with its layouts */
    if (found == SAME) {
        remove_program(arena, folder);
    } else {
        printf("program %u: %s\n%s", index, words[found], hd_str_text(&told));
        fflush(stdout);
        make_small(folder, p, found, hd_str_text(&told));
        printf("program %u: made small, in %s/\n", index, folder);
        fflush(stdout);
    }
    hd_arena_free(arena);
    return found == SAME;
}

static uint32_t run_batch(const task *t) {
    uint32_t wrong = 0;
    for (uint32_t i = 0; i < t->count; i++)
        wrong += !is_right(t, t->first + i);
    return wrong;
}

int main(int argc, char **argv) { return fuzz_main("rewrites", BATCH, run_batch, argc, argv); }

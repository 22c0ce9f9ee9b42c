/* Makes a kernel small: drops one node after the other, large ones first. */
#include "fuzz.h"

typedef struct attempt {
    hd_arena *arena;
    const char *folder, *why;
    kernel *kernel;
    verdict wanted;
} attempt;

/* What a message says, without its place and what it quotes: how it begins. */
static bool same_words(const char *a, const char *b) {
    const char *in_a = strstr(a, ": "), *in_b = strstr(b, ": ");
    return in_a && in_b && !strncmp(in_a, in_b, 20);
}

static bool still(void *user) {
    const attempt *a = user;
    verdict found;
    hd_str told = {.arena = a->arena};
    kernel *k = a->kernel;
    if (fuzz_write(a->arena, NULL, a->folder, &k, 1))
        return false;
    fuzz_compare(a->folder, &k, 1, &found, &told);
    return found == a->wanted && (a->wanted == DIFFERENT || same_words(hd_str_text(&told), a->why));
}

void fuzz_reduce(const char *folder, kernel *k, verdict wanted, const char *why) {
    attempt a = {hd_arena_new(), folder, why, k, wanted};
    fuzz_shrink(k->source, still, &a);
    fuzz_write(a.arena, NULL, folder, &k, 1);
    hd_arena_free(a.arena);
}

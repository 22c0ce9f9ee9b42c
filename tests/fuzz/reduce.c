/*
 * Makes a kernel small: drops one node after the other, large ones first, and
 * leaves out what the verdict does not need.
 */
#include "fuzz.h"

enum { MOST_TRIES = 600 };

/* What a message says, without its place and what it quotes: how it begins. */
static bool same_words(const char *a, const char *b) {
    const char *in_a = strstr(a, ": "), *in_b = strstr(b, ": ");
    return in_a && in_b && !strncmp(in_a, in_b, 20);
}

static bool still(hd_arena *arena, const char *folder, kernel *k, verdict wanted,
                  const char *why) {
    verdict found;
    hd_str told = {.arena = arena};
    if (fuzz_write(arena, NULL, folder, &k, 1))
        return false;
    fuzz_compare(folder, &k, 1, &found, &told);
    return found == wanted && (wanted == DIFFERENT || same_words(hd_str_text(&told), why));
}

void fuzz_reduce(const char *folder, kernel *k, verdict wanted, const char *why) {
    hd_arena *arena = hd_arena_new();
    uint32_t tries = 0;
    for (bool smaller = true; smaller && tries < MOST_TRIES;) {
        smaller = false;
        for (size_t i = 0; tries < MOST_TRIES; tries++) {
            node_list list = {0};
            fuzz_droppable(arena, k->source, &list);
            if (i >= list.count)
                break;
            list.data[i]->dropped = true; /* its children leave the list with it */
            if (still(arena, folder, k, wanted, why)) {
                smaller = true;
            } else {
                list.data[i]->dropped = false;
                i++;
            }
        }
    }
    fuzz_write(arena, NULL, folder, &k, 1);
    hd_arena_free(arena);
}

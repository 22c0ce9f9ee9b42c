/* A hash table with open addressing. */
#include "job/names.h"

struct hd_name {
    const char *text; /* NULL: free */
    uint32_t number;
};

static struct hd_name *slot_of(const hd_names *names, const char *text) {
    size_t at = (size_t)hd_hash_bytes(HD_HASH_START, text, strlen(text)) & (names->capacity - 1);
    while (names->slots[at].text && strcmp(names->slots[at].text, text) != 0)
        at = (at + 1) & (names->capacity - 1);
    return &names->slots[at];
}

static void grow(hd_arena *arena, hd_names *names) {
    hd_names bigger = {.count = names->count,
                       .capacity = names->capacity ? names->capacity * 2 : 16};
    bigger.slots = hd_new_array(arena, struct hd_name, bigger.capacity);
    for (size_t i = 0; i < names->capacity; i++)
        if (names->slots[i].text)
            *slot_of(&bigger, names->slots[i].text) = names->slots[i];
    *names = bigger;
}

int64_t hd_names_add(hd_arena *arena, hd_names *names, const char *name, uint32_t number) {
    if (names->count * 2 >= names->capacity)
        grow(arena, names);
    struct hd_name *slot = slot_of(names, name);
    if (slot->text)
        return slot->number;
    *slot = (struct hd_name){name, number};
    names->count++;
    return HD_NO_NAME;
}

int64_t hd_names_find(const hd_names *names, const char *name) {
    if (!names->capacity)
        return HD_NO_NAME;
    const struct hd_name *slot = slot_of(names, name);
    return slot->text ? (int64_t)slot->number : HD_NO_NAME;
}

/* Trees of text. */
#include "tools.h"

static void add(hd_arena *arena, node *n, const char *pattern, va_list args) {
    const char *start = pattern;
    for (const char *p = pattern;; p++) {
        if (*p != '\0' && *p != '@' && *p != '$' && *p != '#')
            continue;
        const char *text = hd_strndup(arena, start, (size_t)(p - start));
        if (*text)
            hd_push(arena, &n->pieces, (piece){text, NULL});
        start = p + 1;
        if (*p == '\0')
            return;
        if (*p == '@')
            hd_push(arena, &n->pieces, (piece){NULL, va_arg(args, node *)});
        else if (*p == '$')
            hd_push(arena, &n->pieces, (piece){va_arg(args, const char *), NULL});
        else
            hd_push(arena, &n->pieces,
                    (piece){hd_format(arena, "%u", va_arg(args, uint32_t)), NULL});
    }
}

node *fuzz_vnode(hd_arena *arena, const char *instead, const char *pattern, va_list args) {
    node *n = hd_new(arena, node);
    n->instead = instead;
    add(arena, n, pattern, args);
    return n;
}

node *fuzz_node(hd_arena *arena, const char *instead, const char *pattern, ...) {
    va_list args;
    va_start(args, pattern);
    node *n = fuzz_vnode(arena, instead, pattern, args);
    va_end(args);
    return n;
}

void fuzz_add(hd_arena *arena, node *n, const char *pattern, ...) {
    va_list args;
    va_start(args, pattern);
    add(arena, n, pattern, args);
    va_end(args);
}

void fuzz_print(hd_str *out, const node *n) {
    if (n->dropped) {
        hd_str_add(out, n->instead);
        return;
    }
    for (size_t i = 0; i < n->pieces.count; i++)
        if (n->pieces.data[i].child)
            fuzz_print(out, n->pieces.data[i].child);
        else
            hd_str_add(out, n->pieces.data[i].text);
}

void fuzz_droppable(hd_arena *arena, node *n, node_list *list) {
    if (n->dropped)
        return;
    if (n->instead)
        hd_push(arena, list, n);
    for (size_t i = 0; i < n->pieces.count; i++)
        if (n->pieces.data[i].child)
            fuzz_droppable(arena, n->pieces.data[i].child, list);
}

void fuzz_shrink(node *root, fuzz_still_fn *still, void *user) {
    enum { MOST_TRIES = 600 };
    hd_arena *arena = hd_arena_new();
    uint32_t tries = 0;
    for (bool smaller = true; smaller && tries < MOST_TRIES;) {
        smaller = false;
        for (size_t i = 0; tries < MOST_TRIES; tries++) {
            node_list list = {0};
            fuzz_droppable(arena, root, &list);
            if (i >= list.count)
                break;
            list.data[i]->dropped = true; /* its children leave the list with it */
            if (still(user)) {
                smaller = true;
            } else {
                list.data[i]->dropped = false;
                i++;
            }
        }
    }
    hd_arena_free(arena);
}

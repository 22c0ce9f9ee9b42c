/* Trees of tiles as text: one line to be kept and parsed, and a picture for people. */
#include <ctype.h>
#include <stdlib.h>

#include "search/tile_tree.h"

const char *hd_tile_name(hd_arena *arena, uint64_t tile) {
    return tile == HD_TILE_AOS   ? "AoS"
           : tile == HD_TILE_SOA ? "SoA"
                                 : hd_format(arena, "%llu", (unsigned long long)tile);
}

/* ---- printing ------------------------------------------------------------------ */

static void print(hd_str *out, const hd_tile_tree *tree);

static void print_branch(hd_str *out, const hd_tile_tree *tree) {
    hd_str_add(out, tree->low ? " (" : " ");
    print(out, tree);
    hd_str_add(out, tree->low ? ")" : "");
}

static void print(hd_str *out, const hd_tile_tree *tree) {
    if (!tree->low) {
        hd_str_add(out, hd_tile_name(out->arena, tree->tile));
        return;
    }
    hd_str_printf(out, "<= %llu", (unsigned long long)tree->threshold);
    print_branch(out, tree->low);
    print_branch(out, tree->high);
}

const char *hd_tile_tree_print(hd_arena *arena, const hd_tile_tree *tree) {
    hd_str out = {.arena = arena};
    print(&out, tree);
    return hd_str_text(&out);
}

static void show_branch(hd_str *out, const char *sign, uint64_t threshold,
                        const hd_tile_tree *branch, uint32_t indent) {
    hd_str_printf(out, "%*s%s %llu", (int)indent, "", sign, (unsigned long long)threshold);
    if (!branch->low) {
        hd_str_printf(out, ": %s\n", hd_tile_name(out->arena, branch->tile));
        return;
    }
    hd_str_add(out, "\n");
    hd_tile_tree_show(out, branch, indent + 4);
}

void hd_tile_tree_show(hd_str *out, const hd_tile_tree *tree, uint32_t indent) {
    if (!tree->low) {
        hd_str_printf(out, "%*s%s\n", (int)indent, "", hd_tile_name(out->arena, tree->tile));
        return;
    }
    show_branch(out, "<=", tree->threshold, tree->low, indent);
    show_branch(out, ">", tree->threshold, tree->high, indent);
}

/* ---- parsing -------------------------------------------------------------------- */

/* Deeper ones no learner makes. */
enum { DEEPEST = 64 };

typedef struct parser {
    hd_arena *arena;
    const hd_diag *diag;
    const char *text, *at;
    uint32_t depth;
} parser;

static hd_status fail(const parser *p, const char *wanted) {
    hd_place place = {"<tree>", 1, (unsigned)(p->at - p->text) + 1, p->text};
    return hd_fail(p->diag, HD_EINPUT, &place, "the tree has no %s here", wanted);
}

static bool take(parser *p, const char *word) {
    size_t length = strlen(word);
    while (*p->at == ' ')
        p->at++;
    if (strncmp(p->at, word, length))
        return false;
    p->at += length;
    return true;
}

static bool take_number(parser *p, uint64_t *value) {
    take(p, "");
    size_t digits = strspn(p->at, "0123456789");
    if (!digits || digits > 18)
        return false;
    *value = strtoull(p->at, NULL, 10);
    p->at += digits;
    return true;
}

static hd_status parse_tile(parser *p, uint64_t *tile) {
    const char *start = p->at;
    if (take(p, "AoS"))
        *tile = HD_TILE_AOS;
    else if (take(p, "SoA"))
        *tile = HD_TILE_SOA;
    else if (!take_number(p, tile) || *tile < 2 || hd_tile_class(*tile) == HD_TILE_CLASSES) {
        p->at = start;
        return fail(p, "tile (AoS, SoA, or a power of two up to 32768)");
    }
    return HD_OK;
}

static hd_status parse_tree(parser *p, hd_tile_tree *tree);

static hd_status parse_branch(parser *p, const hd_tile_tree **branch) {
    hd_tile_tree *tree = hd_new(p->arena, hd_tile_tree);
    *branch = tree;
    if (!take(p, "("))
        return parse_tile(p, &tree->tile);
    hd_status status = parse_tree(p, tree);
    return status ? status : take(p, ")") ? HD_OK : fail(p, "')'");
}

static hd_status parse_tree(parser *p, hd_tile_tree *tree) {
    if (!take(p, "<="))
        return parse_tile(p, &tree->tile);
    if (p->depth++ == DEEPEST)
        return fail(p, "room for so many levels");
    if (!take_number(p, &tree->threshold))
        return fail(p, "number of bytes");
    hd_status status = parse_branch(p, &tree->low);
    if (status == HD_OK)
        status = parse_branch(p, &tree->high);
    p->depth--;
    return status;
}

hd_status hd_tile_tree_parse(hd_arena *arena, const hd_diag *diag, const char *text,
                             hd_tile_tree **tree) {
    parser p = {.arena = arena, .diag = diag, .text = text, .at = text};
    hd_tile_tree *root = hd_new(arena, hd_tile_tree);
    *tree = NULL;
    hd_status status = parse_tree(&p, root);
    if (status == HD_OK && (take(&p, ""), *p.at))
        status = fail(&p, "end");
    if (status == HD_OK)
        *tree = root;
    return status;
}

/* The flat text (flat.h): its nodes, and the way back from it. */
#include <limits.h>

#include "internal.h"

static unsigned item_length(const flat_item *item) {
    return item->text ? item->origin.end - item->origin.begin
                      : item->node->at.end - item->node->at.begin;
}

flat_node *rw_flat_node(flat *f, flat_kind kind, unsigned file) {
    flat_node *node = hd_new(f->arena, flat_node);
    node->kind = kind;
    node->file = file;
    return node;
}

static void add_text(flat *f, flat_node *node, const char *text, range origin) {
    if (origin.begin < origin.end)
        hd_push(f->arena, &node->items, (flat_item){.text = text, .origin = origin});
}

/* A blank that keeps two words apart; it lies at the end of what was added so far. */
static void add_blank(flat *f, flat_node *node, const char *blank) {
    hd_push(f->arena, &node->items, (flat_item){.text = blank, .origin = {0, 1}, .is_added = true});
}

void rw_flat_open(flat *f, hd_arena *arena, const char *path, const char *text) {
    *f = (flat){.arena = arena};
    hd_push(arena, &f->files, (flat_file){path, text});
    f->root = rw_flat_node(f, FLAT_FILE, 0);
    add_text(f, f->root, text, (range){0, (unsigned)strlen(text)});
    rw_flat_render(f);
}

static void render(hd_str *out, flat_node *node, flat_node *up) {
    node->up = up;
    node->at.begin = (unsigned)out->length;
    for (size_t i = 0; i < node->items.count; i++) {
        flat_item *item = &node->items.data[i];
        item->at = (unsigned)out->length;
        if (item->text)
            hd_str_addn(out, item->text, item->origin.end - item->origin.begin);
        else
            render(out, item->node, node);
    }
    node->at.end = (unsigned)out->length;
}

void rw_flat_render(flat *f) {
    hd_str out = {.arena = f->arena};
    render(&out, f->root, NULL);
    f->text = hd_str_text(&out);
    f->length = (unsigned)out.length;
}

/* ---- the way back ---------------------------------------------------------------- */

static bool is_blank(const flat *f, unsigned begin, unsigned end) {
    for (unsigned i = begin; i < end; i++)
        if (!strchr(" \n", f->text[i]))
            return false;
    return true;
}

/* Where a range begins (or ends, from `is_end` on) in the file of `node`. The blanks that were
 * added at the ends of an inner node don't count. */
static bool edge_in(const flat *f, const flat_node *node, unsigned offset, bool is_end,
                    unsigned *result) {
    for (size_t i = 0; i < node->items.count; i++) {
        const flat_item *item = &node->items.data[i];
        unsigned end = item->at + item_length(item);
        bool inside =
            is_end ? item->at < offset && offset <= end : item->at <= offset && offset < end;
        if (!inside || item->is_added)
            continue;
        if (item->text)
            *result = item->origin.begin + (offset - item->at);
        else if (is_end ? !is_blank(f, offset, end) : !is_blank(f, item->at, offset))
            return false;
        else
            *result = is_end ? item->origin.end : item->origin.begin;
        return true;
    }
    return false;
}

bool rw_flat_spot_in(const flat *f, const flat_node *node, range at, range *result) {
    if (at.begin == at.end) {
        bool found = edge_in(f, node, at.begin, true, &result->begin) ||
                     edge_in(f, node, at.begin, false, &result->begin);
        result->end = result->begin;
        return found;
    }
    return edge_in(f, node, at.begin, false, &result->begin) &&
           edge_in(f, node, at.end, true, &result->end);
}

static const flat_node *node_around(const flat_node *node, range at) {
    for (size_t i = 0; i < node->items.count; i++) {
        const flat_node *inner = node->items.data[i].node;
        if (!inner)
            continue;
        bool holds = at.begin == at.end ? inner->at.begin < at.begin && at.end < inner->at.end
                                        : inner->at.begin <= at.begin && at.end <= inner->at.end;
        if (holds)
            return node_around(inner, at);
    }
    return node;
}

bool rw_flat_spot(const flat *f, range at, flat_spot *spot) {
    spot->node = node_around(f->root, at);
    return rw_flat_spot_in(f, spot->node, at, &spot->at);
}

bool rw_flat_offset(const flat_node *node, unsigned origin, unsigned *offset) {
    for (size_t i = 0; i < node->items.count; i++) {
        const flat_item *item = &node->items.data[i];
        if (item->is_added || origin < item->origin.begin || origin >= item->origin.end)
            continue;
        *offset = item->text ? item->at + (origin - item->origin.begin) : item->at;
        return item->text || origin == item->origin.begin;
    }
    return false;
}

static hd_place place_in(const flat *f, unsigned number, unsigned origin) {
    const flat_file *file = &f->files.data[number];
    return hd_place_in(f->arena, file->path, file->text, origin);
}

hd_place rw_flat_place(const flat *f, unsigned offset) {
    flat_spot spot;
    if (!rw_flat_spot(f, (range){offset, offset + (offset < f->length)}, &spot))
        return (hd_place){.file = f->files.data[0].path};
    return place_in(f, spot.node->file, spot.at.begin);
}

hd_place rw_flat_use(const flat *f, const flat_node *node) {
    for (size_t i = 0; node->up && i < node->up->items.count; i++)
        if (node->up->items.data[i].node == node)
            return place_in(f, node->up->file, node->up->items.data[i].origin.begin);
    return (hd_place){.file = f->files.data[0].path, .line = 1};
}

/* ---- expanding -------------------------------------------------------------------- */

static flat_node *copy_of(flat *f, const flat_node *node) {
    flat_node *copy = hd_new(f->arena, flat_node);
    *copy = *node;
    memset(&copy->items, 0, sizeof copy->items);
    for (size_t i = 0; i < node->items.count; i++) {
        flat_item item = node->items.data[i];
        if (item.node)
            item.node = copy_of(f, item.node);
        hd_push(f->arena, &copy->items, item);
    }
    return copy;
}

/* The items of `from` that lie in a range of the flat text, as items of `to`. */
void rw_flat_add_run(flat *f, flat_node *to, range at, const flat_node *from) {
    for (size_t i = 0; i < from->items.count; i++) {
        flat_item item = from->items.data[i];
        unsigned begin = item.at, end = item.at + item_length(&item);
        if (end <= at.begin || begin >= at.end)
            continue;
        if (item.node) {
            item.node = copy_of(f, item.node);
        } else if (!item.is_added) {
            unsigned before = begin < at.begin ? at.begin - begin : 0;
            unsigned behind = end > at.end ? end - at.end : 0;
            item.text += before;
            item.at += before;
            item.origin.begin += before;
            item.origin.end -= behind;
        }
        hd_push(f->arena, &to->items, item);
    }
}

void rw_flat_add_argument(flat *f, flat_node *to, range parameter, range argument) {
    const flat_node *from = node_around(f->root, argument);
    flat_node *node = rw_flat_node(f, FLAT_ARGUMENT, from->file);
    rw_flat_add_run(f, node, argument, from);
    range origin;
    add_blank(f, to, " ");
    if (rw_flat_spot_in(f, node_around(f->root, parameter), parameter, &origin))
        hd_push(f->arena, &to->items, (flat_item){.node = node, .origin = origin});
    add_blank(f, to, " ");
}

void rw_flat_put(flat *f, range use, flat_node *body) {
    flat_node *node = (flat_node *)node_around(f->root, use);
    flat_node whole = {0};
    range origin;
    if (!rw_flat_spot_in(f, node, use, &origin))
        return;
    rw_flat_add_run(f, &whole, (range){node->at.begin, use.begin}, node);
    add_blank(f, &whole, " ");
    hd_push(f->arena, &whole.items, (flat_item){.node = body, .origin = origin, .at = use.begin});
    add_blank(f, &whole, " ");
    rw_flat_add_run(f, &whole, (range){use.end, node->at.end}, node);
    memcpy(&node->items, &whole.items, sizeof node->items);
}

/* ---- headers ----------------------------------------------------------------------- */

/* A file that the compiler entered, once for each time. */
typedef struct entry {
    const char *path, *text;
    unsigned depth, offset; /* of the directive, in the text that has it */
    unsigned parent;        /* index of the entry that has the directive */
    bool is_user;
} entry;

/* A directive of a file of the user's that names another one. */
typedef struct directive {
    CXFile file;
    unsigned offset;
} directive;

typedef struct includer {
    flat *f;
    CXTranslationUnit unit;
    hd_vec(entry) entries;
    hd_vec(directive) directives;
} includer;

static bool is_system_file(CXTranslationUnit unit, CXFile file) {
    return clang_Location_isInSystemHeader(clang_getLocationForOffset(unit, file, 0));
}

/* libclang tells of files in the order in which they were entered. */
static void see_file(CXFile file, CXSourceLocation *stack, unsigned depth, CXClientData data) {
    includer *in = data;
    size_t length = 0;
    entry e = {.depth = depth, .is_user = !is_system_file(in->unit, file)};
    e.path = hd_clang_text(in->f->arena, clang_getFileName(file));
    const char *text = clang_getFileContents(in->unit, file, &length);
    e.text = hd_strndup(in->f->arena, text ? text : "", length);
    if (depth) {
        CXFile from = NULL;
        clang_getFileLocation(stack[depth - 1], &from, NULL, NULL, NULL);
        bool is_ours =
            from && clang_File_isEqual(from, clang_getFile(in->unit, in->f->files.data[0].path));
        e.is_user &= is_ours;
        clang_getFileLocation(stack[0], NULL, NULL, NULL, &e.offset);
        if (!is_ours) /* of -include: its directive stands in no line of the text */
            e.offset = UINT_MAX;
        for (size_t i = 0; i < in->entries.count; i++)
            if (in->entries.data[i].depth + 1 == depth)
                e.parent = (unsigned)i;
        e.is_user &= in->entries.count && in->entries.data[e.parent].is_user;
    }
    hd_push(in->f->arena, &in->entries, e);
}

static unsigned file_index(flat *f, const entry *e) {
    for (size_t i = 0; i < f->files.count; i++)
        if (!strcmp(f->files.data[i].path, e->path))
            return (unsigned)i;
    hd_push(f->arena, &f->files, (flat_file){e->path, e->text});
    return (unsigned)f->files.count - 1;
}

/* The next line at or after `from` that begins with #include; false: none. */
static bool next_directive(const char *text, unsigned from, range *line) {
    for (const char *at = text + from; *at; at += strcspn(at, "\n"), at += *at == '\n') {
        const char *word = at + strspn(at, " \t");
        if (*word != '#')
            continue;
        word += 1 + strspn(word + 1, " \t");
        if (strncmp(word, "include", 7) != 0)
            continue;
        const char *name = word + 7 + strspn(word + 7, " \t");
        size_t length = strcspn(at, "\n");
        const char *close = *name == '"'   ? strchr(name + 1, '"')
                            : *name == '<' ? strchr(name, '>')
                                           : NULL;
        if (close && close < at + length)
            length = (size_t)(close + 1 - at);
        *line = (range){(unsigned)(at - text), (unsigned)(at - text + length)};
        return true;
    }
    return false;
}

static flat_node *node_of_entry(includer *in, unsigned number);

/* What stands for a directive: the header's text, or nothing when the compiler, having seen it
 * before, left it out. NULL: the directive stays. */
static flat_node *node_of_directive(includer *in, unsigned number, range line) {
    const entry *e = &in->entries.data[number];
    for (size_t i = number + 1; i < in->entries.count; i++) {
        const entry *inner = &in->entries.data[i];
        if (inner->parent == number && inner->depth == e->depth + 1 &&
            inner->offset >= line.begin && inner->offset < line.end)
            return inner->is_user ? node_of_entry(in, (unsigned)i) : NULL;
    }
    CXFile file = clang_getFile(in->unit, e->path);
    for (size_t i = 0; i < in->directives.count; i++) {
        const directive *d = &in->directives.data[i];
        if (d->offset >= line.begin && d->offset < line.end && clang_File_isEqual(d->file, file))
            return rw_flat_node(in->f, FLAT_FILE, file_index(in->f, e));
    }
    return NULL;
}

static flat_node *node_of_entry(includer *in, unsigned number) {
    const entry e = in->entries.data[number];
    flat_node *node = rw_flat_node(in->f, FLAT_FILE, file_index(in->f, &e));
    unsigned done = 0;
    range line;
    for (unsigned from = 0; next_directive(e.text, from, &line); from = line.end) {
        flat_node *inner = node_of_directive(in, number, line);
        if (!inner)
            continue;
        const char *quote = memchr(e.text + line.begin, '"', line.end - line.begin);
        if (quote)
            inner->spelling = hd_strndup(in->f->arena, quote + 1, strcspn(quote + 1, "\"\n"));
        add_text(in->f, node, e.text + done, (range){done, line.begin});
        hd_push(in->f->arena, &node->items, (flat_item){.node = inner, .origin = line});
        done = line.end;
    }
    add_text(in->f, node, e.text + done, (range){done, (unsigned)strlen(e.text)});
    if (number)
        add_blank(in->f, node, "\n");
    return node;
}

bool rw_flat_include(flat *f, CXTranslationUnit unit) {
    includer in = {.f = f, .unit = unit};
    clang_getInclusions(unit, see_file, &in);
    bool any = false;
    unsigned root = 0;
    for (size_t i = 0; i < in.entries.count; i++) {
        any |= in.entries.data[i].depth && in.entries.data[i].is_user;
        if (!in.entries.data[i].depth)
            root = (unsigned)i;
    }
    if (!any)
        return false;
    hd_cursors all = hd_cursor_children(f->arena, clang_getTranslationUnitCursor(unit));
    for (size_t i = 0; i < all.count; i++) {
        if (clang_getCursorKind(all.data[i]) != CXCursor_InclusionDirective)
            continue;
        CXFile target = clang_getIncludedFile(all.data[i]);
        directive d;
        clang_getFileLocation(clang_getCursorLocation(all.data[i]), &d.file, NULL, NULL, &d.offset);
        if (target && d.file && !is_system_file(unit, target) && !is_system_file(unit, d.file))
            hd_push(f->arena, &in.directives, d);
    }
    f->root = node_of_entry(&in, root);
    rw_flat_render(f);
    return true;
}

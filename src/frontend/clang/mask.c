/*
 * What a file says that does not compile, left out so that the rest does: a statement of the host
 * that wants a library which is not here, a function of the device with a mistake in it, an
 * `#include` of a header that is missing. The text is blanked out, character by character, so that
 * every place in what stays is the place that it was.
 *
 * The text is taken apart without a compiler, into *items* that nest:
 *
 *     namespace n {                      a scope
 *         #include "x.h"                 a directive
 *         __global__ void k(int *p) {    a function of the device: left out as a whole, since
 *             p[0] = missing;            a part of it would be another function
 *         }
 *         int main() {                   a function of the host:
 *             missing_library();         left out is the statement
 *             k<<<1, 1>>>(p);
 *         }
 *     }
 *
 * An error that is still there after that takes the item around. Whether a function is the
 * device's is clear from the words before its name, or from code having been made for it:
 * qualifiers may come from macros.
 */
#include <ctype.h>
#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#include "frontend/clang/internal.h"

typedef enum item_kind {
    ITEM_PLAIN, /* a declaration or a statement */
    ITEM_SCOPE, /* a namespace */
    ITEM_CLASS,
    ITEM_LIST, /* an enumeration, or an initial value */
    ITEM_BLOCK,
    ITEM_FUNCTION,
    ITEM_DIRECTIVE
} item_kind;

enum { NO_ITEM = UINT32_MAX };

typedef struct item {
    size_t start, brace, end; /* brace: the first one, where it has any */
    const char *name;         /* the word before the first parenthesis */
    uint32_t parent;
    item_kind kind;
    bool is_device, blank;
    bool has_paren, has_namespace, has_class, has_enum, has_extern, has_brace;
} item;

/* A file at work, and what is left of it. */
struct front_mask {
    const char *path, *original;
    char *text;
    hd_vec(item) items;
    int memory; /* a file in memory with the text, or -1 */
};

/* ---- taking a text apart ------------------------------------------------- */

/* Where items are made: the file, or what is between two braces. */
typedef struct frame {
    uint32_t owner, open; /* items */
    int depth;            /* of parentheses */
} frame;

typedef struct splitter {
    hd_arena *arena;
    front_mask *mask;
    const char *text;
    size_t at;
    hd_vec(frame) frames;
    hd_vec(size_t) conditions; /* frames there were at each #if that is open */
    const char *word;          /* the last one */
    char last;                 /* the last character that is no blank */
    bool opencl;
} splitter;

static frame *top(splitter *s) { return &s->frames.data[s->frames.count - 1]; }
static item *item_at(splitter *s, uint32_t index) { return &s->mask->items.data[index]; }

static uint32_t add_item(splitter *s, item_kind kind) {
    item made = {.start = s->at, .parent = top(s)->owner, .kind = kind, .is_device = s->opencl};
    hd_push(s->arena, &s->mask->items, made);
    return (uint32_t)s->mask->items.count - 1;
}

static item *open_item(splitter *s) {
    frame *f = top(s);
    if (f->open == NO_ITEM)
        f->open = add_item(s, ITEM_PLAIN);
    return item_at(s, f->open);
}

static void close_item(splitter *s, size_t end) {
    frame *f = top(s);
    if (f->open != NO_ITEM)
        item_at(s, f->open)->end = end;
    f->open = NO_ITEM;
    f->depth = 0;
}

static void skip_quoted(splitter *s, char quote) {
    for (s->at++; s->text[s->at] && s->text[s->at] != quote && s->text[s->at] != '\n'; s->at++)
        s->at += s->text[s->at] == '\\' && s->text[s->at + 1];
    s->at += s->text[s->at] == quote;
}

/* R"x( ... )x" */
static void skip_raw(splitter *s) {
    const char *start = s->text + s->at + 1, *paren = strchr(start, '(');
    const char *end =
        paren ? strstr(paren, hd_format(s->arena, ")%.*s\"", (int)(paren - start), start)) : NULL;
    s->at = end ? (size_t)(end - s->text) + (size_t)(paren - start) + 2 : s->at + 1;
}

static bool skip_comment(splitter *s) {
    const char *here = s->text + s->at, *end;
    if (here[0] != '/' || (here[1] != '/' && here[1] != '*'))
        return false;
    end = here[1] == '/' ? strchr(here, '\n') : strstr(here + 2, "*/");
    s->at = end ? (size_t)(end - s->text) + (here[1] == '*' ? 2 : 0) : strlen(s->text);
    return true;
}

/* Up to the end of its line, or lines. Each branch of a condition begins where the first did. */
static void take_directive(splitter *s) {
    uint32_t made = add_item(s, ITEM_DIRECTIVE);
    const char *word = s->text + s->at + 1;
    word += strspn(word, " \t");
    if (starts_with(word, "if")) {
        hd_push(s->arena, &s->conditions, s->frames.count);
    } else if (s->conditions.count && starts_with(word, "el")) {
        while (s->frames.count > s->conditions.data[s->conditions.count - 1]) {
            close_item(s, s->at);
            s->frames.count--;
        }
    } else if (s->conditions.count && starts_with(word, "endif")) {
        s->conditions.count--;
    }
    while (s->text[s->at] && s->text[s->at] != '\n') {
        if (s->text[s->at] == '\\' && s->text[s->at + 1])
            s->at++;
        if (!skip_comment(s))
            s->at++;
    }
    item_at(s, made)->end = s->at;
}

/* template <...> */
static void skip_angles(splitter *s) {
    int depth = 0;
    size_t at = s->at + strspn(s->text + s->at, " \t\r\n");
    if (s->text[at] != '<')
        return;
    for (; s->text[at] && s->text[at] != ';' && s->text[at] != '{'; at++) {
        depth += s->text[at] == '<' ? 1 : s->text[at] == '>' ? -1 : 0;
        if (!depth) {
            s->at = at + 1;
            return;
        }
    }
}

static void take_word(splitter *s) {
    size_t start = s->at;
    open_item(s);
    while (isalnum((unsigned char)s->text[s->at]) || s->text[s->at] == '_')
        s->at++;
    s->word = hd_strndup(s->arena, s->text + start, s->at - start);
    item *open = open_item(s);
    open->is_device |= hd_has_word("__global__ __device__", s->word);
    if (open->has_brace)
        return;
    open->has_namespace |= !strcmp(s->word, "namespace");
    open->has_extern |= !strcmp(s->word, "extern");
    open->has_enum |= !strcmp(s->word, "enum");
    open->has_class |= !open->has_paren && hd_has_word("class struct union", s->word);
    if (!strcmp(s->word, "template"))
        skip_angles(s);
    s->last = 'a';
}

/* What the brace that comes begins. */
static item_kind kind_of_brace(splitter *s, const item *open) {
    item_kind around = top(s)->owner == NO_ITEM ? ITEM_SCOPE : item_at(s, top(s)->owner)->kind;
    bool in_scope = around == ITEM_SCOPE || around == ITEM_CLASS;
    if (open->has_namespace || (open->has_extern && s->last == '"'))
        return ITEM_SCOPE;
    if (s->last == '=' || (open->has_enum && !open->has_paren))
        return ITEM_LIST;
    if (open->has_class && !open->has_paren)
        return ITEM_CLASS;
    return !in_scope ? ITEM_BLOCK : open->has_paren ? ITEM_FUNCTION : ITEM_LIST;
}

static void open_brace(splitter *s) {
    item *open = open_item(s);
    if (!open->has_brace) {
        open->kind = kind_of_brace(s, open);
        open->brace = s->at;
        open->has_brace = true;
    }
    frame inner = {.owner = top(s)->open, .open = NO_ITEM};
    hd_push(s->arena, &s->frames, inner);
}

static void close_brace(splitter *s) {
    if (s->frames.count == 1)
        return;
    close_item(s, s->at);
    s->frames.count--;
    frame *f = top(s);
    item_kind kind = f->open == NO_ITEM ? ITEM_PLAIN : item_at(s, f->open)->kind;
    if (kind == ITEM_FUNCTION || kind == ITEM_SCOPE || (kind == ITEM_BLOCK && f->depth <= 0))
        close_item(s, s->at + 1);
}

static void take_sign(splitter *s, char c) {
    static const char attributes[] =
        "__align__ alignas __attribute__ __launch_bounds__ __declspec noexcept decltype";
    item *open = c == '}' ? NULL : open_item(s);
    frame *f = top(s);
    if (c == '{') {
        open_brace(s);
    } else if (c == '}') {
        close_brace(s);
    } else if (c == '(') {
        if (!f->depth && !open->has_paren && s->word && !hd_has_word(attributes, s->word)) {
            open->has_paren = true;
            open->name = s->word;
        }
        f->depth++;
    } else if (c == ')') {
        f->depth--;
    } else if (c == ';' && f->depth <= 0) {
        close_item(s, s->at + 1);
    }
    s->last = c;
    s->at++;
}

static void split(splitter *s) {
    frame file = {.owner = NO_ITEM, .open = NO_ITEM};
    bool line_begins = true;
    hd_push(s->arena, &s->frames, file);
    for (char c; (c = s->text[s->at]) != '\0';) {
        if (isspace((unsigned char)c)) {
            line_begins |= c == '\n';
            s->at++;
            continue;
        }
        if (skip_comment(s))
            continue;
        if (c == '#' && line_begins) {
            take_directive(s);
            continue;
        }
        line_begins = false;
        if (c == '"' || c == '\'') {
            open_item(s);
            if (c == '"' && s->last == 'a' && s->word && !strcmp(s->word, "R"))
                skip_raw(s);
            else
                skip_quoted(s, c);
            s->last = '"';
        } else if (isalpha((unsigned char)c) || c == '_') {
            take_word(s);
        } else if (isdigit((unsigned char)c)) { /* 1'000, 0x1p-3f */
            open_item(s);
            while (isalnum((unsigned char)s->text[s->at]) || s->text[s->at] == '\'')
                s->at++;
            s->last = '0';
        } else {
            take_sign(s, c);
        }
    }
    for (; s->frames.count; s->frames.count--)
        close_item(s, s->at);
}

/* ---- files ----------------------------------------------------------------- */

static front_mask *mask_of(front_state *front, const char *path) {
    for (size_t i = 0; i < front->masks.count; i++)
        if (!strcmp(front->masks.data[i]->path, path) ||
            hd_same_file(front->masks.data[i]->path, path))
            return front->masks.data[i];
    char *text;
    size_t length;
    if (hd_read_file(front->arena, NULL, path, &text, &length) || strlen(text) != length)
        return NULL;
    front_mask *mask = hd_new(front->arena, front_mask);
    *mask = (front_mask){.path = hd_strdup(front->arena, path),
                         .original = text,
                         .text = hd_strdup(front->arena, text),
                         .memory = -1};
    splitter s = {.arena = front->arena, .mask = mask, .text = text, .opencl = !front->is_cuda};
    split(&s);
    hd_push(front->arena, &front->masks, mask);
    return mask;
}

/* Offset of a place in the text; SIZE_MAX where there is none. */
static size_t offset_of(const char *text, unsigned line, unsigned column) {
    size_t at = 0;
    for (unsigned l = 1; l < line; l++) {
        const char *end = strchr(text + at, '\n');
        if (!end)
            return SIZE_MAX;
        at = (size_t)(end - text) + 1;
    }
    for (unsigned c = 1; c < column && text[at] && text[at] != '\n'; c++)
        at++;
    return at;
}

static unsigned line_of(const front_mask *mask, size_t offset) {
    unsigned line = 1;
    for (size_t i = 0; i < offset; i++)
        line += mask->original[i] == '\n';
    return line;
}

/* Directives stay, since what they define may be used elsewhere. */
static void blank(front_mask *mask, size_t start, size_t end) {
    for (size_t i = start; i < end; i++)
        if (mask->text[i] != '\n')
            mask->text[i] = ' ';
    for (size_t i = 0; i < mask->items.count; i++) {
        const item *d = &mask->items.data[i];
        bool inside = d->kind == ITEM_DIRECTIVE && !d->blank && start <= d->start && d->end <= end;
        const char *word = mask->original + d->start + 1;
        word += strspn(word, " \t");
        if (inside && !starts_with(word, "include") && !starts_with(word, "pragma"))
            memcpy(mask->text + d->start, mask->original + d->start, d->end - d->start);
    }
}

/* ---- choosing what goes ------------------------------------------------------ */

/* The innermost item at an offset. */
static uint32_t innermost(const front_mask *mask, size_t offset) {
    uint32_t found = NO_ITEM;
    for (uint32_t i = 0; i < mask->items.count; i++) {
        const item *it = &mask->items.data[i];
        if (it->start <= offset && offset < it->end &&
            (found == NO_ITEM || it->start >= mask->items.data[found].start))
            found = i;
    }
    return found;
}

/* The function around an item that stands in no other. */
static uint32_t function_around(const front_mask *mask, uint32_t index) {
    uint32_t found = NO_ITEM;
    for (; index != NO_ITEM; index = mask->items.data[index].parent)
        if (mask->items.data[index].kind == ITEM_FUNCTION)
            found = index;
    return found;
}

/* The outermost item of the device around an item, up to `limit`. */
static uint32_t device_around(const front_mask *mask, uint32_t index, uint32_t limit) {
    uint32_t found = NO_ITEM;
    for (; index != NO_ITEM; index = mask->items.data[index].parent) {
        if (mask->items.data[index].is_device)
            found = index;
        if (index == limit)
            break;
    }
    return found;
}

/* A function or class without its body is declared still, so that another one does not take its
 * place, and that what calls it can say why it cannot be compiled. */
static void blank_body(front_mask *mask, item *it) {
    bool had_body = mask->text[it->brace] == '{';
    it->blank = !had_body;
    blank(mask, had_body ? it->brace : it->start, it->end);
    if (had_body)
        mask->text[it->brace] = ';';
}

static bool blank_item(front_mask *mask, uint32_t index) {
    while (index != NO_ITEM && mask->items.data[index].blank)
        index = mask->items.data[index].parent;
    if (index == NO_ITEM)
        return false;
    item *it = &mask->items.data[index];
    if (it->kind == ITEM_FUNCTION || it->kind == ITEM_CLASS) {
        blank_body(mask, it);
        return true;
    }
    it->blank = true;
    blank(mask, it->start, it->end);
    if (it->kind != ITEM_DIRECTIVE)
        mask->text[it->start] = ';';
    return true;
}

/* A class without one of its members would have another layout. */
static uint32_t class_around(const front_mask *mask, uint32_t index) {
    const item *it = &mask->items.data[index];
    bool in_class = it->kind != ITEM_FUNCTION && it->parent != NO_ITEM &&
                    mask->items.data[it->parent].kind == ITEM_CLASS;
    return in_class ? it->parent : index;
}

static void note_left_out(front_state *front, const front_message *error, const item *function) {
    const char *name = function && function->is_device ? function->name : NULL;
    for (size_t i = 0; i < front->left_out.count; i++) {
        const front_left_out *known = &front->left_out.data[i];
        bool same_name = name && known->function && !strcmp(known->function, name);
        bool same_line = known->message.place.line == error->place.line &&
                         !strcmp(known->message.place.file, error->place.file);
        if (same_name || same_line)
            return;
    }
    front_left_out made = {.function = name, .message = *error};
    hd_push(front->arena, &front->left_out, made);
}

bool front_mask_error(front_state *front, const front_message *error) {
    const hd_place *place = error->masked.line ? &error->masked : &error->place;
    front_mask *mask = place->line ? mask_of(front, place->file) : NULL;
    size_t offset = mask ? offset_of(mask->original, place->line, place->column) : SIZE_MAX;
    uint32_t at = offset == SIZE_MAX ? NO_ITEM : innermost(mask, offset);
    if (at == NO_ITEM)
        return false;
    uint32_t function = function_around(mask, at), target = at;
    uint32_t device = device_around(mask, at, function);
    if (mask->items.data[at].kind == ITEM_DIRECTIVE)
        device = NO_ITEM;
    if (device != NO_ITEM && function != NO_ITEM)
        target = device;
    else if (mask->items.data[at].kind != ITEM_DIRECTIVE)
        target = class_around(mask, at);
    if (!blank_item(mask, target))
        return false;
    if (function != NO_ITEM && device == NO_ITEM && mask->items.data[at].kind != ITEM_DIRECTIVE) {
        const item *whole = &mask->items.data[function];
        front_masked_lines part = {mask, function, line_of(mask, whole->start),
                                   line_of(mask, whole->end)};
        hd_push(front->arena, &front->masked_lines, part);
    }
    note_left_out(front, error, function == NO_ITEM ? NULL : &mask->items.data[function]);
    return true;
}

void front_mask_header(front_state *front, const char *name) {
    front_message error = {.severity = HD_ERROR, .status = HD_EINPUT};
    const char *text = front->files.data[0].text, *found = text ? strstr(text, name) : NULL;
    error.place = found ? hd_place_in(front->arena, front->path, text,
                                      (size_t)(found - text) - (found > text))
                        : (hd_place){.file = front->path};
    error.text = hd_format(front->arena, "'%s' file not found", name);
    hd_push(front->arena, &front->missing, name);
    front_left_out made = {.is_header = true, .message = error};
    hd_push(front->arena, &front->left_out, made);
}

/* ---- functions that turn out to be the device's --------------------------------- */

bool front_mask_device_function(front_state *front, const char *path, unsigned line) {
    bool found = false;
    for (size_t i = 0; i < front->masked_lines.count; i++) {
        const front_masked_lines *part = &front->masked_lines.data[i];
        item *function = &part->mask->items.data[part->function];
        if (function->is_device || line < part->first || part->last < line ||
            !hd_same_file(part->mask->path, path))
            continue;
        function->is_device = found = true;
        if (part->mask->text[function->brace] == '{')
            blank_body(part->mask, function);
        for (size_t k = 0; k < front->left_out.count; k++) {
            front_left_out *left = &front->left_out.data[k];
            if (left->message.place.line >= part->first && left->message.place.line <= part->last &&
                hd_same_file(left->message.place.file, path))
                left->function = function->name;
        }
    }
    return found;
}

/* ---- the compiler's words ---------------------------------------------------------- */

/* `from` reads as the contents of a file in memory. */
static void add_remap(front_state *front, front_words *words, const char *from, int memory) {
    hd_push(front->arena, words, "-Xclang");
    hd_push(front->arena, words, "-remap-file");
    hd_push(front->arena, words, "-Xclang");
    hd_push(front->arena, words,
            hd_format(front->arena, "%s;/proc/%ld/fd/%d", from, (long)getpid(), memory));
}

static hd_status write_memory(front_state *front, int *memory, const char *text) {
    size_t length = strlen(text);
    if (*memory < 0)
        *memory = memfd_create("heddle-masked", MFD_CLOEXEC);
    if (*memory >= 0 && pwrite(*memory, text, length, 0) == (ssize_t)length)
        return HD_OK;
    return hd_fail(front->diag, HD_ESYSTEM, NULL, "cannot make a file in memory: %s",
                   strerror(errno));
}

/* Missing headers are looked for last in the root folder, and found there as empty files. */
hd_status front_missing_words(front_state *front, front_words *words) {
    if (!front->missing.count)
        return HD_OK;
    hd_status status = write_memory(front, &front->nothing, "\n");
    hd_push(front->arena, words, "-idirafter");
    hd_push(front->arena, words, "/");
    for (size_t i = 0; i < front->missing.count && !status; i++)
        add_remap(front, words, hd_format(front->arena, "/%s", front->missing.data[i]),
                  front->nothing);
    return status;
}

hd_status front_mask_words(front_state *front, front_words *words) {
    hd_status status = front_missing_words(front, words);
    for (size_t i = 0; i < front->masks.count && !status; i++) {
        front_mask *mask = front->masks.data[i];
        status = write_memory(front, &mask->memory, mask->text);
        add_remap(front, words, mask->path, mask->memory);
    }
    return status;
}

const char *front_masked_text(const front_state *front, size_t i, const char **path) {
    *path = front->masks.data[i]->path;
    return front->masks.data[i]->text;
}

void front_masks_end(front_state *front) {
    for (size_t i = 0; i < front->masks.count; i++)
        if (front->masks.data[i]->memory >= 0)
            close(front->masks.data[i]->memory);
    if (front->nothing >= 0)
        close(front->nothing);
}

#include "frontend/clang/cursor.h"

typedef struct collector {
    hd_arena *arena;
    hd_cursors found;
} collector;

static enum CXChildVisitResult collect(CXCursor cursor, CXCursor parent, CXClientData data) {
    (void)parent;
    collector *c = data;
    hd_push(c->arena, &c->found, cursor);
    return CXChildVisit_Continue;
}

hd_cursors hd_cursor_children(hd_arena *arena, CXCursor cursor) {
    collector c = {.arena = arena};
    clang_visitChildren(cursor, collect, &c);
    return c.found;
}

static enum CXVisitorResult collect_field(CXCursor cursor, CXClientData data) {
    collect(cursor, cursor, data);
    return CXVisit_Continue;
}

hd_cursors hd_type_fields(hd_arena *arena, CXType type) {
    collector c = {.arena = arena};
    clang_Type_visitFields(type, collect_field, &c);
    return c.found;
}

const char *hd_clang_text(hd_arena *arena, CXString text) {
    const char *found = clang_getCString(text);
    char *copy = hd_strdup(arena, found ? found : "");
    clang_disposeString(text);
    return copy;
}

/* What is asked of libclang wherever it is used: children, fields, and strings. */
#ifndef HD_FRONTEND_CLANG_CURSOR_H
#define HD_FRONTEND_CLANG_CURSOR_H

#include <clang-c/Index.h>

#include "base/base.h"

typedef hd_vec(CXCursor) hd_cursors;

hd_cursors hd_cursor_children(hd_arena *arena, CXCursor cursor);
/* The fields of a struct or union; none of other types. */
hd_cursors hd_type_fields(hd_arena *arena, CXType type);
/* A copy of the text, which is disposed of; "" where there is none. */
const char *hd_clang_text(hd_arena *arena, CXString text);

#endif

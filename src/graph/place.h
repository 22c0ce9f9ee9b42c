/* Where in a text something stands, for messages. Private to this folder. */
#ifndef HD_GRAPH_PLACE_H
#define HD_GRAPH_PLACE_H

#include "base/base.h"

/* The place of text[at]; only messages ask, so it counts from the start. */
static inline hd_place hd_place_in(hd_arena *arena, const char *path, const char *text, size_t at) {
    hd_place place = {.file = path, .line = 1, .column = 1};
    size_t begin = 0;
    for (size_t i = 0; i < at; i++)
        if (text[i] == '\n') {
            place.line++;
            begin = i + 1;
        }
    place.column += (unsigned)(at - begin);
    place.text = hd_line_of(arena, text, place.line);
    return place;
}

#endif

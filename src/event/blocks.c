/* A sink that hears some blocks, in front of one that hears all. */
#include <stdlib.h>

#include "event/event.h"

typedef struct choice {
    hd_sink inner;
    uint64_t first, last;
} choice;

/* The state of a block that is handed on; NULL stands for the others. */
typedef struct choice_stream {
    const hd_sink *inner;
    void *stream;
} choice_stream;

static hd_status choice_launch(void *self, const hd_event_launch *launch) {
    const hd_sink *inner = &((const choice *)self)->inner;
    return inner->launch ? inner->launch(inner->self, launch) : HD_OK;
}

static void *choice_open_block(void *self, uint64_t block) {
    const choice *c = self;
    if (block < c->first || block > c->last)
        return NULL;
    choice_stream *stream = hd_checked(malloc(sizeof *stream));
    stream->inner = &c->inner;
    stream->stream = c->inner.open_block ? c->inner.open_block(c->inner.self, block) : NULL;
    return stream;
}

static void choice_event(void *stream, const hd_event *event) {
    const choice_stream *s = stream;
    if (s && s->inner->event)
        s->inner->event(s->stream, event);
}

static hd_status choice_close_block(void *self, void *stream, uint64_t block, bool complete) {
    const hd_sink *inner = &((const choice *)self)->inner;
    choice_stream *s = stream;
    hd_status status = HD_OK;
    if (s && inner->close_block)
        status = inner->close_block(inner->self, s->stream, block, complete);
    free(s);
    return status;
}

static hd_status choice_end_launch(void *self, bool complete) {
    const hd_sink *inner = &((const choice *)self)->inner;
    return inner->end_launch ? inner->end_launch(inner->self, complete) : HD_OK;
}

hd_sink hd_sink_blocks(hd_arena *arena, hd_sink inner, uint64_t first, uint64_t last) {
    choice *c = hd_new(arena, choice);
    *c = (choice){inner, first, last};
    return (hd_sink){
        c, choice_launch, choice_open_block, choice_event, choice_close_block, choice_end_launch};
}

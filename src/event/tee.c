/* One sink in front of several. */
#include <stdlib.h>

#include "event/event.h"

typedef struct tee {
    hd_sink *sinks;
    uint32_t count;
} tee;

/* The states of one block, one for each sink. */
typedef struct tee_stream {
    const tee *tee;
    void *streams[];
} tee_stream;

static hd_status tee_launch(void *self, const hd_event_launch *launch) {
    const tee *t = self;
    hd_status status = HD_OK;
    for (uint32_t i = 0; i < t->count && !status; i++)
        if (t->sinks[i].launch)
            status = t->sinks[i].launch(t->sinks[i].self, launch);
    return status;
}

static void *tee_open_block(void *self, uint64_t block) {
    const tee *t = self;
    tee_stream *stream = hd_zeroed(1, sizeof *stream + t->count * sizeof *stream->streams);
    stream->tee = t;
    for (uint32_t i = 0; i < t->count; i++)
        if (t->sinks[i].open_block)
            stream->streams[i] = t->sinks[i].open_block(t->sinks[i].self, block);
    return stream;
}

static void tee_event(void *stream, const hd_event *event) {
    tee_stream *s = stream;
    for (uint32_t i = 0; i < s->tee->count; i++)
        if (s->tee->sinks[i].event)
            s->tee->sinks[i].event(s->streams[i], event);
}

/* Every sink hears the end, even when one before it failed. */
static hd_status tee_close_block(void *self, void *stream, uint64_t block, bool complete) {
    const tee *t = self;
    tee_stream *s = stream;
    hd_status status = HD_OK;
    for (uint32_t i = 0; i < t->count; i++) {
        if (!t->sinks[i].close_block)
            continue;
        hd_status own = t->sinks[i].close_block(t->sinks[i].self, s->streams[i], block, complete);
        status = status ? status : own;
    }
    free(s);
    return status;
}

static hd_status tee_end_launch(void *self, bool complete) {
    const tee *t = self;
    hd_status status = HD_OK;
    for (uint32_t i = 0; i < t->count; i++) {
        if (!t->sinks[i].end_launch)
            continue;
        hd_status own = t->sinks[i].end_launch(t->sinks[i].self, complete);
        status = status ? status : own;
    }
    return status;
}

hd_sink hd_sink_tee(hd_arena *arena, const hd_sink *sinks, uint32_t count) {
    tee *t = hd_new(arena, tee);
    t->sinks = hd_new_array(arena, hd_sink, count);
    if (count)
        memcpy(t->sinks, sinks, count * sizeof *sinks);
    t->count = count;
    return (hd_sink){t, tee_launch, tee_open_block, tee_event, tee_close_block, tee_end_launch};
}

/* One sink in front of several, and one that hears only some blocks. */
#include <stdlib.h>

#include "machine/event.h"

typedef struct tee {
    uint32_t count;
    hd_block_choice blocks; /* that are handed on */
    uint32_t only;          /* the sink that hears blocks, where just one does */
    hd_sink sinks[];
} tee;

/* The states of a block that is handed on, one for each sink; NULL stands for the others. */
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
    if (!hd_block_chosen(&t->blocks, block))
        return NULL;
    tee_stream *stream = hd_zeroed(1, sizeof *stream + t->count * sizeof *stream->streams);
    stream->tee = t;
    for (uint32_t i = 0; i < t->count; i++)
        if (t->sinks[i].open_block)
            stream->streams[i] = t->sinks[i].open_block(t->sinks[i].self, block);
    return stream;
}

static void tee_event(void *stream, const hd_event *event) {
    const tee_stream *s = stream;
    for (uint32_t i = 0; s && i < s->tee->count; i++)
        if (s->tee->sinks[i].event)
            s->tee->sinks[i].event(s->streams[i], event);
}

/* Every sink hears the end, even when one before it failed. */
static hd_status tee_close_block(void *self, void *stream, uint64_t block, bool complete) {
    const tee *t = self;
    const tee_stream *s = stream;
    hd_status status = HD_OK;
    for (uint32_t i = 0; s && i < t->count; i++) {
        if (!t->sinks[i].close_block)
            continue;
        hd_status own = t->sinks[i].close_block(t->sinks[i].self, s->streams[i], block, complete);
        status = status ? status : own;
    }
    free(stream);
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

/* ---- where one sink hears blocks, and the others launches alone ---------------------------- */

static void *open_only(void *self, uint64_t block) {
    const hd_sink *only = &((const tee *)self)->sinks[((const tee *)self)->only];
    return only->open_block ? only->open_block(only->self, block) : NULL;
}

static hd_status close_only(void *self, void *stream, uint64_t block, bool complete) {
    const hd_sink *only = &((const tee *)self)->sinks[((const tee *)self)->only];
    return only->close_block ? only->close_block(only->self, stream, block, complete) : HD_OK;
}

/* ---- both ---------------------------------------------------------------------------------- */

static hd_sink new_tee(hd_arena *arena, const hd_sink *sinks, uint32_t count,
                       hd_block_choice blocks) {
    tee *t = hd_alloc(arena, sizeof *t + count * sizeof *sinks);
    *t = (tee){.count = count, .blocks = blocks};
    if (count)
        memcpy(t->sinks, sinks, count * sizeof *sinks);
    return (hd_sink){t, tee_launch, tee_open_block, tee_event, tee_close_block, tee_end_launch};
}

hd_sink hd_sink_tee(hd_arena *arena, const hd_sink *sinks, uint32_t count) {
    hd_sink all = new_tee(arena, sinks, count, hd_all_blocks);
    uint32_t hear_blocks = 0;
    for (uint32_t i = 0; i < count; i++)
        if (sinks[i].open_block || sinks[i].event || sinks[i].close_block) {
            ((tee *)all.self)->only = i;
            hear_blocks++;
        }
    if (hear_blocks == 1) {
        all.open_block = open_only;
        all.event = sinks[((tee *)all.self)->only].event;
        all.close_block = close_only;
    }
    return all;
}

hd_sink hd_sink_blocks(hd_arena *arena, hd_sink inner, hd_block_choice blocks) {
    return new_tee(arena, &inner, 1, blocks);
}

hd_block_choice hd_blocks_spread(uint64_t count, double wanted) {
    enum { GROUP = 8, LEAST_GROUPS = 8 };
    uint64_t each = wanted >= GROUP * LEAST_GROUPS ? GROUP : 1;
    uint64_t of = wanted > 1 ? (uint64_t)((double)(count * each) / wanted) : count;
    hd_block_choice choice = hd_all_blocks;
    if (of > each) {
        choice.each = each;
        choice.of = of;
    }
    return choice;
}

uint64_t hd_blocks_chosen(const hd_block_choice *choice, uint64_t count) {
    if (choice->first >= count)
        return 0;
    uint64_t range = (choice->last < count ? choice->last + 1 : count) - choice->first;
    if (!choice->each || choice->each >= choice->of)
        return range;
    uint64_t rest = range % choice->of;
    return range / choice->of * choice->each + (rest < choice->each ? rest : choice->each);
}

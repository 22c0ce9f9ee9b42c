/*
 * A sink in front of another: what a kernel does to arrays of records, as if they lay
 * in a layout. Addresses of the record's fields become the bytes where hd_map_address()
 * puts them; all others stay.
 */
#ifndef ORACLE_LAID_OUT_H
#define ORACLE_LAID_OUT_H

#include <stdlib.h>

#include "machine/event.h"
#include "job/job.h"
#include "layout/layout.h"

enum { LAID_OUT_THREADS = 1 << 12 };

typedef struct laid_out {
    hd_sink to;
    const hd_job *job;
    hd_kernel_info **infos; /* of the job's launches */
    hd_map **maps;          /* [buffer]: NULL where it is no array of the record */
    /* Of the launch that is running. */
    const hd_event_launch *launch;
    const hd_kernel_info *info;
    int32_t of_param[64]; /* its buffer, or -1 */
    uint64_t starts[64];  /* address of that one's first byte */
} laid_out;

typedef struct laid_out_stream {
    laid_out *self;
    void *to;
    uint64_t address[LAID_OUT_THREADS];
} laid_out_stream;

static uint64_t laid_out_address(const laid_out *l, const hd_access *a, uint64_t address) {
    const hd_map *map = l->maps[l->of_param[a->param]];
    uint64_t byte = address - l->starts[a->param];
    uint64_t element = byte / map->record->size, inside = byte % map->record->size;
    if (element >= map->count || hd_record_field_at(map->record, (uint32_t)inside) != a->field)
        return address; /* of no field, as made-up data may lead to */
    uint32_t allocation = map->clusters[map->fields[a->field].cluster].allocation;
    return ((uint64_t)(allocation + 1) << 50) + hd_map_address(map, (uint32_t)a->field, element) +
           inside - map->record->fields[a->field].offset;
}

static void laid_out_event(void *self, const hd_event *event) {
    laid_out_stream *s = self;
    const laid_out *l = s->self;
    const hd_access *a = &l->info->accesses[event->access];
    hd_event moved = *event;
    bool field = a->param >= 0 && l->of_param[a->param] >= 0 && a->record && a->field >= 0 &&
                 l->maps[l->of_param[a->param]];
    for (uint32_t lane = 0; field && lane < event->threads; lane++)
        if (hd_event_active(event, lane))
            s->address[lane] = laid_out_address(l, a, hd_event_address(event, lane));
    if (field) {
        moved.base = 0;
        moved.address = s->address;
        moved.same_lanes = false;
    }
    l->to.event(s->to, &moved);
}

static void laid_out_bind(laid_out *l, const hd_arg *arg) {
    l->of_param[arg->param] = (int32_t)arg->buffer;
    for (uint32_t b = 0; b < l->launch->buffer_count; b++)
        if (!strcmp(l->launch->buffers[b].name, l->job->buffers[arg->buffer].name))
            l->starts[arg->param] = l->launch->buffers[b].base;
}

static hd_status laid_out_launch(void *self, const hd_event_launch *launch) {
    laid_out *l = self;
    const hd_launch *from = &l->job->launches[launch->number];
    l->launch = launch;
    l->info = l->infos[launch->number];
    memset(l->of_param, -1, sizeof l->of_param);
    for (uint32_t a = 0; a < from->arg_count; a++)
        if (from->args[a].kind == HD_ARG_BUFFER && from->args[a].param < 64)
            laid_out_bind(l, &from->args[a]);
    return l->to.launch(l->to.self, launch);
}

static void *laid_out_open(void *self, uint64_t block) {
    laid_out *l = self;
    laid_out_stream *s = malloc(sizeof *s);
    s->self = l;
    s->to = l->to.open_block(l->to.self, block);
    return s;
}

static hd_status laid_out_close(void *self, void *stream, uint64_t block, bool complete) {
    laid_out *l = self;
    laid_out_stream *s = stream;
    hd_status status = l->to.close_block(l->to.self, s->to, block, complete);
    free(s);
    return status;
}

static hd_status laid_out_end(void *self, bool complete) {
    laid_out *l = self;
    return l->to.end_launch(l->to.self, complete);
}

/* Launch n of the events must be launch n of the job. */
static hd_sink laid_out_sink(laid_out *l) {
    return (hd_sink){l,           laid_out_launch, laid_out_open, laid_out_event, laid_out_close,
                     laid_out_end};
}

#endif

/*
 * What tests of several folders share: a kernel and a job from text, ready to
 * analyse. Files go to a temporary folder that goes with the sample.
 */
#ifndef HD_TESTS_SUPPORT_H
#define HD_TESTS_SUPPORT_H

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "folder.h"
#include "frontend/frontend.h"
#include "job/job.h"
#include "source_text.h"

typedef struct hd_sample {
    hd_arena *arena;
    hd_diag diag;
    char *folder; /* NULL: none was needed */
    hd_job *job;
    kir_module *module;
} hd_sample;

static inline void hd_sample_message(const hd_message *m, void *user) {
    (void)user;
    fprintf(stderr, "%s:%u:%u: %s\n", m->place.file ? m->place.file : "-", m->place.line,
            m->place.column, m->text);
}

/* Writes kernel.cl and job.yaml, compiles and resolves. Aborts when they are wrong. */
static inline void hd_sample_open(hd_sample *s, const char *kernel, const char *job) {
    *s = (hd_sample){.arena = hd_arena_new(), .diag = {hd_sample_message, NULL}};
    s->folder = folder_make(s->arena);
    char *kernel_path = hd_format(s->arena, "%s/kernel.cl", s->folder);
    char *job_path = hd_format(s->arena, "%s/job.yaml", s->folder);
    if (hd_write_file(&s->diag, kernel_path, kernel, strlen(kernel)) ||
        hd_write_file(&s->diag, job_path, job, strlen(job)) ||
        hd_job_read(s->arena, &s->diag, job_path, &s->job) ||
        hd_frontend(s->arena, &s->diag, s->job->kernel_path, s->job->options, &s->module) ||
        hd_job_resolve(s->arena, &s->diag, s->job, s->module))
        abort();
}

/* The same from a job file on disk, named from the source folder. */
static inline void hd_sample_read(hd_sample *s, const char *name) {
    *s = (hd_sample){.arena = hd_arena_new(), .diag = {hd_sample_message, NULL}};
    if (hd_job_read(s->arena, &s->diag, source_path(s->arena, name), &s->job) ||
        hd_frontend(s->arena, &s->diag, s->job->kernel_path, s->job->options, &s->module) ||
        hd_job_resolve(s->arena, &s->diag, s->job, s->module))
        abort();
}

static inline void hd_sample_close(hd_sample *s) {
    folder_remove(s->folder);
    hd_arena_free(s->arena);
}

#endif

/* heddle device check: what only a GPU can show, as a page. */
#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/buffer_contents.h"
#include "cli/commands.h"
#include "cli/stop.h"
#include "cli/gpu/gpu.h"

static const hd_member step_members[] = {HD_SAME(hd_gpu_step, name, title), {0}};

static hd_value steps_of(const hd_view *view, const void *at) {
    size_t count = 0;
    (void)view, (void)at;
    while (hd_gpu_steps[count].name)
        count++;
    return hd_rows(hd_gpu_steps, count);
}

static const hd_member list_members[] = {{"steps", .get = steps_of, .of = step_members}, {0}};

static void show_progress(void *user, const char *what) {
    cli *c = user;
    if (!c->quiet)
        fprintf(stderr, "gpu-check: %s\n", what);
}

/* This program, of which each step is a process. */
static const char *own_path(cli *c) {
    char program[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", program, sizeof program);
    return length < 0 ? "" : hd_strndup(c->arena, program, (size_t)length);
}

/* device run-step STEP FOLDER RESULT SECONDS small|whole */
int cmd_device_step(cli *c) {
    char **words = c->words;
    const hd_gpu_step *step = hd_gpu_find_step(words[0]);
    hd_gpu_step_run run = {.program = own_path(c),
                           .folder = words[1],
                           .path = words[2],
                           .seconds = strtod(words[3], NULL),
                           .small = !strcmp(words[4], "small")};
    return step && hd_gpu_run_step(c->arena, &c->diag, step, &run) == HD_OK ? CLI_FINE : CLI_WRONG;
}

int cmd_device_once(cli *c) {
    return cli_status(hd_gpu_run_once(c->arena, &c->diag, c->words[0], c->words[1]));
}

int cmd_device_check(cli *c) {
    const cli_options *o = c->given;
    double minutes = o->minutes;
    hd_str steps = {.arena = c->arena};
    const char *names[64];
    size_t count = 0;
    for (const hd_gpu_step *s = hd_gpu_steps; s->name; s++) {
        hd_str_printf(&steps, "%-20s  %s\n", s->name, s->title);
        names[count++] = s->name;
    }
    if (o->list)
        return c->json ? cli_print_row(c, list_members, hd_row(c)) : cli_print(c, &steps);
    for (size_t i = 0; i < o->only.count; i++) {
        const char *near = cli_nearest(o->only.data[i], names, count);
        if (!hd_gpu_find_step(o->only.data[i]))
            return cli_wrong(
                c, "there is no step '%s'%s%s%s; 'heddle device check --list' lists them",
                o->only.data[i], near ? "; did you mean '" : "", near ? near : "", near ? "'" : "");
    }
    if (!(minutes >= 0.05 && minutes <= 1440))
        return cli_wrong(c, "--minutes takes a number from 0.05 to 1440");
    const char *page = o->input.out ? o->input.out : "gpu-DEVICE.md";
    if (cli_check_output(c, "out", page, NULL, 0))
        return CLI_WRONG;
    cli_stop stop;
    const hd_gpu_options options = {.program = own_path(c),
                                    .version = HEDDLE_VERSION,
                                    .seconds = minutes * 60,
                                    .only = o->only.data,
                                    .only_count = (uint32_t)o->only.count,
                                    .small = o->small,
                                    .page = page,
                                    .stop = cli_catch_stop(&stop),
                                    .progress = show_progress,
                                    .user = c};
    hd_gpu_outcome outcome;
    hd_str out = {.arena = c->arena};
    size_t i;
    const json_t *step;
    hd_status status = hd_gpu_check(c->arena, &c->diag, &options, &outcome);
    cli_release_stop(&stop);
    json_array_foreach(json_object_get(outcome.document, "steps"), i, step) {
        if (*hd_gpu_text(step, "reason"))
            hd_str_printf(&out, "%s: not done: %s\n", hd_gpu_text(step, "name"),
                          hd_gpu_text(step, "reason"));
    }
    if (outcome.differs)
        hd_str_add(&out, "outputs differ; see the page\n");
    if (outcome.page)
        hd_str_printf(&out, "wrote %s\n", outcome.page);
    int printed = status != HD_OK ? CLI_WRONG
                  : c->json       ? cli_print_json(c, json_incref(outcome.document))
                                  : cli_print(c, &out);
    json_decref(outcome.document);
    return printed           ? printed
           : outcome.stopped ? CLI_STOPPED
           : outcome.failed  ? CLI_WRONG
           : outcome.differs ? CLI_DIFFER
                             : CLI_FINE;
}

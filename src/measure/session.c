/*
 * Devices by name, whichever back end has them.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

#include "measure/session.h"

/* ---- errors ------------------------------------------------------------- */

static hd_place job_place(const hd_job *job) {
    return (hd_place){.file = job->path ? job->path : job->kernel_path};
}

hd_status hd_session_fail(const hd_session *session, const hd_place *place, const char *doing,
                          const char *error) {
    hd_place at = place && place->file ? *place : job_place(session->job);
    return hd_fail(session->diag, HD_ESYSTEM, &at, "cannot %s on %s: %s", doing,
                   session->device.name, error);
}

/* Where a compiler's line says that an error is: "NAME:LINE:COLUMN: ...", as all drivers that
 * are made of clang write it, or NVIDIA's "NAME(LINE): ...". NULL when it says nothing, else
 * the end of the name. */
static const char *place_in_line(const char *line, const char *end, hd_place *place) {
    for (const char *at = line; at < end; at++)
        if ((*at == ':' && sscanf(at, ":%u:%u", &place->line, &place->column) == 2) ||
            (*at == '(' && sscanf(at, "(%u)", &place->line) == 1))
            return at;
    return NULL;
}

/* The place of the log's first error in the program itself, which is no header. */
static hd_place place_in_log(hd_arena *arena, const hd_program_text *text, const char *log) {
    for (const char *line = log; *line; line += strcspn(line, "\n"), line += *line == '\n') {
        size_t length = strcspn(line, "\n");
        hd_place place = {.file = text->file};
        if (!memmem(line, length, "error", 5))
            continue;
        const char *end = place_in_line(line, line + length, &place);
        if (!end || (end - line > 2 && !strncmp(end - 2, ".h", 2)))
            continue;
        place.text = hd_line_of(arena, text->text, place.line);
        return place;
    }
    return (hd_place){.file = text->file};
}

hd_status hd_session_fail_build(const hd_session *session, const hd_program_text *text,
                                const char *error) {
    const char *log = session->gpu->log ? session->gpu->log : "";
    hd_place place = place_in_log(session->arena, text, log);
    size_t length = strlen(log);
    while (length && isspace((unsigned char)log[length - 1]))
        length--;
    return hd_fail(session->diag, HD_EINPUT, &place, "%s does not compile it (%s)%s%.*s",
                   session->device.name, error, length ? ":\n" : "", (int)length, log);
}

const char *hd_kernel_folder(hd_arena *arena, const hd_job *job) {
    const char *path = job->kernel_path, *slash = strrchr(path, '/');
    return !slash ? "." : slash == path ? "/" : hd_strndup(arena, path, (size_t)(slash - path));
}

/* ---- devices ------------------------------------------------------------ */

hd_compute_device *hd_measure_devices(hd_arena *arena, const char *backend, uint32_t *count,
                                      const char **missing) {
    return hd_compute_named(backend)->list(arena, count, missing);
}

/* "0:1" and "cuda:0" are an id; anything else is part of a name. */
static bool is_id(const char *wanted) {
    const char *at = !strncmp(wanted, "cuda:", 5) ? wanted + 5 : wanted;
    return isdigit((unsigned char)*at) && !at[strspn(at, "0123456789:")];
}

static bool device_matches(const hd_compute_device *device, const char *wanted) {
    if (!wanted || !*wanted)
        return true;
    if (is_id(wanted))
        return !strcmp(wanted, device->id);
    return strcasestr(device->name, wanted) || strcasestr(device->platform, wanted);
}

hd_status hd_measure_device(hd_arena *arena, const hd_diag *diag, const hd_job *job,
                            const char *wanted, hd_compute_device *device) {
    hd_place place = job_place(job);
    uint32_t count;
    const char *missing = NULL;
    if (!job->module->device)
        return hd_fail(diag, HD_EUNSUPPORTED, &(hd_place){.file = job->kernel_path},
                       "there is no source text here that a device could compile; measure with the "
                       "file that this one was made from");
    const hd_compute_api *api = hd_compute_named(job->module->device);
    hd_compute_device *devices = api->list(arena, &count, &missing);
    if (!count)
        return hd_fail(diag, HD_ESYSTEM, &place, "there is no %s device to run on: %s", api->title,
                       missing);
    hd_str names = {.arena = arena};
    for (uint32_t d = 0; d < count; d++) {
        if (device_matches(&devices[d], wanted)) {
            *device = devices[d];
            return HD_OK;
        }
        hd_str_printf(&names, "%s%s %s (%s)", d ? ", " : "", devices[d].id, devices[d].name,
                      devices[d].platform);
    }
    return hd_fail(diag, HD_EINPUT, &place,
                   "no %s device is called '%s', and kernels in %s C run on no other; there are: "
                   "%s",
                   api->title, wanted, api->title, hd_str_text(&names));
}

hd_status hd_session_open(hd_arena *arena, const hd_diag *diag, const hd_job *job,
                          const char *device, hd_session *session) {
    *session = (hd_session){.arena = arena, .diag = diag, .job = job};
    hd_status status = hd_measure_device(arena, diag, job, device, &session->device);
    if (status != HD_OK)
        return status;
    const char *error =
        hd_compute_named(session->device.backend)->open(arena, session->device.id, &session->gpu);
    if (error)
        return hd_session_fail(session, NULL, "open it, to run kernels", error);
    hd_compute *gpu = session->gpu;
    if (gpu->no_compiler)
        return hd_session_fail(session, NULL, "compile kernels", gpu->no_compiler);
    error = gpu->api->make_queue(gpu, true, &session->queue);
    return error ? hd_session_fail(session, NULL, gpu->doing, error) : HD_OK;
}

void hd_session_close(hd_session *session) {
    hd_compute *gpu = session->gpu;
    if (gpu) {
        gpu->api->release_queue(gpu, &session->queue);
        gpu->api->close(gpu);
    }
    session->gpu = NULL;
}

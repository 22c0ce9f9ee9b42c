/*
 * Devices by name, whichever back end has them.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

#include "advise/measure/session.h"

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

void hd_keep_reason(const hd_message *message, void *user) {
    hd_reason *r = user;
    const hd_place *place = &message->place;
    if (message->severity != HD_ERROR || r->text)
        return;
    size_t line = strcspn(message->text, "\n");
    line -= message->text[line] && line && message->text[line - 1] == ':'; /* a log would follow */
    r->text = place->file && place->line
                  ? hd_format(r->arena, "%s:%u:%u: %.*s", place->file, place->line, place->column,
                              (int)line, message->text)
                  : hd_format(r->arena, "%.*s", (int)line, message->text);
}

/* ---- devices ------------------------------------------------------------ */

bool hd_measure_device_is(const hd_compute_device *device, const char *wanted) {
    if (!wanted || !*wanted)
        return true;
    const char *at = !strncmp(wanted, "cuda:", 5) ? wanted + 5 : wanted;
    if (isdigit((unsigned char)*at) && !at[strspn(at, "0123456789:")])
        return !strcmp(wanted, device->id);
    return strcasestr(device->name, wanted) || strcasestr(device->platform, wanted);
}

static const hd_launch *launch_with_texture(const hd_job *job) {
    for (uint32_t l = 0; l < job->launch_count; l++) {
        const kir_kernel *kernel = job->launches[l].kernel;
        for (uint32_t p = 0; kernel && p < kernel->param_count; p++)
            if (kernel->params[p].object == KIR_TEXTURE)
                return &job->launches[l];
    }
    return NULL;
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
    for (uint32_t l = 0; l < job->launch_count; l++)
        for (uint32_t a = 0; a < job->launches[l].arg_count; a++)
            if (job->launches[l].args[a].offset)
                return hd_fail(
                    diag, HD_EUNSUPPORTED, &job->launches[l].args[a].place,
                    "an argument that begins inside of a buffer runs on Heddle's machine "
                    "only; give the kernel the buffer and a number to begin at");
    const hd_launch *textured = launch_with_texture(job);
    if (textured)
        return hd_fail(diag, HD_EUNSUPPORTED, &textured->place,
                       "kernel '%s' reads a texture, which runs on Heddle's machine only; read a "
                       "buffer",
                       textured->kernel_name);
    hd_status portable = hd_job_check_portable(diag, job, "a device");
    if (portable)
        return portable;
    const hd_compute_api *api = hd_compute_named(job->module->device);
    hd_compute_device *devices = api->list(arena, &count, &missing);
    if (!count)
        return hd_fail(diag, HD_ESYSTEM, &place, "there is no %s device to run on: %s", api->title,
                       missing);
    hd_str names = {.arena = arena};
    for (uint32_t d = 0; d < count; d++) {
        if (hd_measure_device_is(&devices[d], wanted)) {
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

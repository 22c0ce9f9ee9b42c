/* Messages: formatted here, shown by whoever gave the hd_diag. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/base.h"

const hd_diag hd_silent = {NULL, NULL};

void hd_keep_first(const hd_message *message, void *user) {
    hd_first_error *first = user;
    if (!first->text && message->severity == HD_ERROR)
        first->text = hd_strdup(first->arena, message->text);
}

void hd_keep_message(const hd_message *message, void *user) {
    hd_kept_messages *kept = user;
    hd_message copy = *message;
    copy.text = hd_strdup(kept->arena, message->text);
    if (message->place.file)
        copy.place.file = hd_strdup(kept->arena, message->place.file);
    if (message->place.text)
        copy.place.text = hd_strdup(kept->arena, message->place.text);
    hd_push(kept->arena, &kept->all, copy);
}

void hd_tell_kept(const hd_diag *diag, const hd_kept_messages *kept) {
    for (size_t m = 0; diag && diag->fn && m < kept->all.count; m++)
        diag->fn(&kept->all.data[m], diag->user);
}

static void report(const hd_diag *diag, hd_severity severity, const hd_place *place,
                   const char *format, va_list args) {
    if (!diag || !diag->fn)
        return;
    char *text = NULL;
    if (vasprintf(&text, format, args) < 0)
        hd_no_memory(0);
    hd_message message = {.severity = severity, .text = text};
    if (place)
        message.place = *place;
    diag->fn(&message, diag->user);
    free(text);
}

hd_status hd_fail(const hd_diag *diag, hd_status status, const hd_place *place, const char *format,
                  ...) {
    va_list args;
    va_start(args, format);
    report(diag, HD_ERROR, place, format, args);
    va_end(args);
    return status;
}

hd_status hd_fail_errno(const hd_diag *diag, hd_status status, const char *path,
                        const char *doing) {
    return hd_fail(diag, status, &(hd_place){.file = path}, "cannot %s: %s", doing,
                   strerror(errno));
}

void hd_warn(const hd_diag *diag, const hd_place *place, const char *format, ...) {
    va_list args;
    va_start(args, format);
    report(diag, HD_WARNING, place, format, args);
    va_end(args);
}

void hd_note(const hd_diag *diag, const hd_place *place, const char *format, ...) {
    va_list args;
    va_start(args, format);
    report(diag, HD_NOTE, place, format, args);
    va_end(args);
}

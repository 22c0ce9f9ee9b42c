/*
 * Heddle: data layout for GPU kernels.
 *
 * This header holds what every part of Heddle and every program that embeds it
 * shares: the status of a call, and how messages reach you. Nothing in the
 * library prints or exits; a function that can fail returns an hd_status and,
 * before it does so, hands one message to the hd_diag that it was given.
 *
 *     static void show(const hd_message *m, void *user) {
 *         fprintf(user, "%s:%u: %s\n", m->place.file ? m->place.file : "-", m->place.line, m->text);
 *     }
 *     hd_diag diag = {show, stderr};
 *
 * Ownership: whatever an analysis makes lives in the hd_arena that was handed
 * to it, and goes with that arena. There is no global state, so any number of
 * analyses may run at once, each with an arena of its own.
 */
#ifndef HEDDLE_HEDDLE_H
#define HEDDLE_HEDDLE_H

/* How a call ended. Anything but HD_OK has been explained through hd_diag. */
typedef enum hd_status {
    HD_OK = 0,
    HD_EINPUT,       /* the user's input is wrong: source, job, layout, profile, option */
    HD_EUNSUPPORTED, /* the input is right, but Heddle cannot handle it */
    HD_ESYSTEM,      /* the system refused: file, memory, device, subprocess */
    HD_EDIFFER       /* a comparison failed: outputs of two versions differ */
} hd_status;

typedef enum hd_severity { HD_ERROR, HD_WARNING, HD_NOTE } hd_severity;

/* Where a message belongs. Unknown parts are NULL or 0; line and column count from 1. */
typedef struct hd_place {
    const char *file;
    unsigned line, column;
    const char *text; /* the source line itself, for the caret; may be NULL */
} hd_place;

/* One message. The strings live only as long as the callback runs. */
typedef struct hd_message {
    hd_severity severity;
    hd_place place;
    const char *text; /* what is wrong and, after it, what would mend it */
} hd_message;

typedef void hd_message_fn(const hd_message *message, void *user);

/* Where messages go. fn may be NULL: then they are dropped. */
typedef struct hd_diag {
    hd_message_fn *fn;
    void *user;
} hd_diag;

#endif

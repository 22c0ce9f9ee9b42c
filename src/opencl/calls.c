/*
 * Functions of the program that are called when an event comes (clSetEventCallback). A driver calls them in a
 * thread of its own, whose commands the layer may be waiting for under its lock; a function that asks for
 * more would wait for that lock, and so both for ever. So the driver's thread only notes them, and a
 * thread of the layer calls them, in that order.
 */
#include <pthread.h>
#include <stdlib.h>

#include "opencl/layer.h"

typedef struct layer_call {
    layer *layer;
    void(CL_CALLBACK *function)(cl_event, cl_int, void *);
    void *user;
    cl_event event;
    cl_int status;
    struct layer_call *next;
} layer_call;

static layer_call *take(layer_calls *c) {
    pthread_mutex_lock(&c->lock);
    while (!c->first)
        pthread_cond_wait(&c->more, &c->lock);
    layer_call *call = c->first;
    c->first = call->next;
    pthread_mutex_unlock(&c->lock);
    return call;
}

static void *call_all(void *user) {
    layer *l = user;
    for (;;) {
        layer_call *call = take(&l->calls);
        call->function(call->event, call->status, call->user);
        l->target->clReleaseEvent(call->event);
        free(call);
    }
    return NULL;
}

/* In a thread of the driver's. */
static void CL_CALLBACK note(cl_event event, cl_int status, void *user) {
    layer_call *call = user;
    layer_calls *c = &call->layer->calls;
    call->event = event;
    call->status = status;
    call->layer->target->clRetainEvent(event);
    pthread_mutex_lock(&c->lock);
    *(c->first ? &c->last->next : &c->first) = call;
    c->last = call;
    pthread_cond_signal(&c->more);
    pthread_mutex_unlock(&c->lock);
}

/* False: no thread can be started, and the driver calls itself. */
static bool begin(layer *l) {
    pthread_t thread;
    if (!l->calls.has_thread && !pthread_create(&thread, NULL, call_all, l)) {
        pthread_detach(thread);
        l->calls.has_thread = true;
    }
    return l->calls.has_thread;
}

static CL_API_ENTRY cl_int CL_API_CALL set_callback(cl_event event, cl_int when,
                                                    void(CL_CALLBACK *function)(cl_event, cl_int,
                                                                                void *),
                                                    void *user) {
    layer *l = layer_enter();
    const cl_icd_dispatch *target = l->target;
    const bool is_ours = function && begin(l);
    layer_leave(l);
    if (!is_ours)
        return target->clSetEventCallback(event, when, function, user);
    layer_call *call = hd_zeroed(1, sizeof *call);
    *call = (layer_call){.layer = l, .function = function, .user = user};
    const cl_int error = target->clSetEventCallback(event, when, note, call);
    if (error)
        free(call);
    return error;
}

void layer_call_back(cl_icd_dispatch *table) { table->clSetEventCallback = set_callback; }

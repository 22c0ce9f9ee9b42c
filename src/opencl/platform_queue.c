/*
 * Queues, events, and commands as they are run: at once, or, when what they wait for has come.
 *
 * A queue keeps what has not run in the order in which it was handed in. The first may run when its
 * events are complete; in a queue out of order others may overtake it, up to a barrier.
 */
#include <stdlib.h>
#include <string.h>

#include "opencl/platform.h"

static cl_command_queue queues;                           /* all */
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER; /* the status of an event */

/* ---- events ------------------------------------------------------------------------------------------ */

static cl_ulong now(void) { return (cl_ulong)(hd_clock() * 1e9); }

static cl_event new_event(cl_context context, cl_command_queue queue, cl_command_type type,
                          cl_int status) {
    cl_event event = platform_new(PLATFORM_EVENT, sizeof *event);
    event->context = platform_hold(context);
    event->queue = platform_hold(queue);
    event->type = type;
    event->status = status;
    event->times[0] = event->times[1] = now();
    return event;
}

void platform_end_event(machine *m, cl_event event) {
    while (event->callbacks) {
        platform_callback *callback = event->callbacks;
        event->callbacks = callback->next;
        free(callback);
    }
    platform_drop(m, event->queue);
    platform_drop(m, event->context);
}

/* What is to be called at this status or before it. */
static void call_back(cl_event event) {
    for (platform_callback **at = &event->callbacks; *at;) {
        platform_callback *callback = *at;
        if (event->status > callback->when) {
            at = &callback->next;
            continue;
        }
        *at = callback->next;
        if (event->status < 0)
            callback->when = event->status;
        platform_hold(event);
        platform_call_back(callback);
    }
}

static void set_status(cl_event event, cl_int status) {
    event->status = status;
    call_back(event);
    pthread_cond_broadcast(&changed);
}

/* ---- commands ---------------------------------------------------------------------------------------- */

static cl_int check_wait(cl_context context, cl_uint count, const cl_event *wait) {
    if ((count != 0) != (wait != NULL))
        return CL_INVALID_EVENT_WAIT_LIST;
    for (cl_uint i = 0; i < count; i++) {
        if (!platform_is(wait[i], PLATFORM_EVENT))
            return CL_INVALID_EVENT_WAIT_LIST;
        if (wait[i]->context != context)
            return CL_INVALID_CONTEXT;
    }
    return CL_SUCCESS;
}

cl_int platform_command_new(cl_command_queue queue, cl_command_type type, cl_uint wait_count,
                            const cl_event *wait, platform_command **result) {
    if (!platform_is(queue, PLATFORM_QUEUE))
        return CL_INVALID_COMMAND_QUEUE;
    const cl_int error = check_wait(queue->context, wait_count, wait);
    if (error)
        return error;
    platform_command *c = hd_zeroed(1, sizeof *c);
    c->event = new_event(queue->context, queue, type, CL_QUEUED);
    c->wait_count = wait_count;
    c->wait = hd_zeroed(wait_count + 1, sizeof *c->wait);
    for (cl_uint i = 0; i < wait_count; i++)
        c->wait[i] = platform_hold(wait[i]);
    *result = c;
    return CL_SUCCESS;
}

void platform_command_free(machine *m, platform_command *c) {
    if (!c)
        return;
    for (cl_uint i = 0; i < c->wait_count; i++)
        platform_drop(m, c->wait[i]);
    for (cl_uint i = 0; i < c->arg_count; i++) {
        platform_drop(m, c->arg_memories[i]);
        free(c->args[i]);
    }
    platform_drop(m, c->held[0]);
    platform_drop(m, c->held[1]);
    platform_drop(m, c->event);
    free(c->wait);
    free(c->args);
    free(c->arg_memories);
    free(c);
}

static bool can_run(const platform_command *c) {
    for (cl_uint i = 0; i < c->wait_count; i++)
        if (c->wait[i]->status > CL_COMPLETE)
            return false;
    return true;
}

static cl_int run(machine *m, platform_command *c) {
    cl_event event = c->event;
    cl_int status = CL_COMPLETE;
    for (cl_uint i = 0; i < c->wait_count; i++)
        if (c->wait[i]->status < 0)
            status = CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
    event->times[2] = now();
    event->status = CL_RUNNING;
    call_back(event);
    if (!status && c->run)
        status = c->run(m, c);
    event->times[3] = event->times[4] = now();
    set_status(event, status);
    return status;
}

/* The queue's next command that can run, taken from it; NULL: there is none. */
static platform_command *take(cl_command_queue queue) {
    const bool may_overtake = queue->properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE;
    for (platform_command **at = &queue->first; *at; at = &(*at)->next) {
        platform_command *c = *at;
        const bool is_first = at == &queue->first;
        if (can_run(c) && (is_first || !c->is_barrier)) {
            *at = c->next;
            if (!*at)
                queue->last = at;
            return c;
        }
        if (!may_overtake || c->is_barrier)
            return NULL;
    }
    return NULL;
}

/* All that can run now, of all queues. */
static void run_all(machine *m) {
    bool again = true;
    while (again) {
        again = false;
        for (cl_command_queue queue = queues, next; queue; queue = next) {
            platform_command *c;
            platform_hold(queue);
            while ((c = take(queue))) {
                run(m, c);
                platform_command_free(m, c);
                again = true;
            }
            next = queue->next;
            platform_drop(m, queue);
        }
    }
}

static cl_int wait_for(machine *m, cl_event event) {
    while (event->status > CL_COMPLETE)
        pthread_cond_wait(&changed, &m->lock);
    return event->status;
}

cl_int platform_submit(machine *m, platform_command *c, bool blocking, cl_event *event) {
    cl_command_queue queue = c->event->queue;
    cl_event own = platform_hold(c->event);
    c->event->status = CL_SUBMITTED;
    *queue->last = c;
    queue->last = &c->next;
    run_all(m);
    const cl_int status = blocking ? wait_for(m, own) : own->status;
    if (event && status >= 0)
        *event = own;
    else
        platform_drop(m, own);
    return status < 0 ? status : CL_SUCCESS;
}

/* ---- queues ------------------------------------------------------------------------------------------ */

static cl_command_queue new_queue(cl_context context, cl_device_id device,
                                  cl_command_queue_properties how, cl_int *error) {
    const cl_command_queue_properties known =
        CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE;
    const cl_int wrong = !platform_is(context, PLATFORM_CONTEXT) ? CL_INVALID_CONTEXT
                         : !platform_is(device, PLATFORM_DEVICE) ? CL_INVALID_DEVICE
                         : how & ~known                          ? CL_INVALID_QUEUE_PROPERTIES
                                                                 : CL_SUCCESS;
    platform_fail(wrong, error);
    if (wrong)
        return NULL;
    cl_command_queue queue = platform_new(PLATFORM_QUEUE, sizeof *queue);
    queue->context = platform_hold(context);
    queue->properties = how;
    queue->last = &queue->first;
    queue->next = queues;
    queues = queue;
    return queue;
}

void platform_end_queue(machine *m, cl_command_queue queue) {
    cl_command_queue *at = &queues;
    while (*at != queue)
        at = &(*at)->next;
    *at = queue->next;
    free(queue->given);
    platform_drop(m, queue->context);
}

static CL_API_ENTRY cl_command_queue CL_API_CALL create_queue(cl_context context,
                                                              cl_device_id device,
                                                              cl_command_queue_properties how,
                                                              cl_int *error) {
    machine *m = machine_enter();
    cl_command_queue queue = new_queue(context, device, how, error);
    platform_leave(m);
    return queue;
}

static CL_API_ENTRY cl_command_queue CL_API_CALL create_queue_with(cl_context context,
                                                                   cl_device_id device,
                                                                   const cl_queue_properties *given,
                                                                   cl_int *error) {
    cl_command_queue_properties how = 0;
    size_t count = 0;
    for (; given && given[count]; count += 2) {
        if (given[count] != CL_QUEUE_PROPERTIES)
            return platform_fail(given[count] == CL_QUEUE_SIZE ? CL_INVALID_QUEUE_PROPERTIES
                                                               : CL_INVALID_VALUE,
                                 error);
        how = given[count + 1];
    }
    machine *m = machine_enter();
    cl_command_queue queue = new_queue(context, device, how, error);
    if (queue && given) {
        queue->given_bytes = (count + 1) * sizeof *given;
        queue->given = memcpy(hd_zeroed(1, queue->given_bytes), given, queue->given_bytes);
    }
    platform_leave(m);
    return queue;
}

PLATFORM_HELD(queue, cl_command_queue, PLATFORM_QUEUE, CL_INVALID_COMMAND_QUEUE)

static CL_API_ENTRY cl_int CL_API_CALL queue_info(cl_command_queue queue,
                                                  cl_command_queue_info what, size_t room, void *to,
                                                  size_t *needs) {
    const cl_device_id device = &platform_device;
    const cl_command_queue none = NULL;
    if (!platform_is(queue, PLATFORM_QUEUE))
        return CL_INVALID_COMMAND_QUEUE;
    switch (what) {
    case CL_QUEUE_CONTEXT:
        return platform_give(&queue->context, sizeof(cl_context), room, to, needs);
    case CL_QUEUE_DEVICE: return platform_give(&device, sizeof device, room, to, needs);
    case CL_QUEUE_REFERENCE_COUNT:
        return platform_give(&queue->object.held, sizeof(cl_uint), room, to, needs);
    case CL_QUEUE_PROPERTIES:
        return platform_give(&queue->properties, sizeof queue->properties, room, to, needs);
    case CL_QUEUE_PROPERTIES_ARRAY:
        return platform_give(queue->given, queue->given_bytes, room, to, needs);
    case CL_QUEUE_DEVICE_DEFAULT: return platform_give(&none, sizeof none, room, to, needs);
    case CL_QUEUE_SIZE: return CL_INVALID_COMMAND_QUEUE;
    default: return CL_INVALID_VALUE;
    }
}

static CL_API_ENTRY cl_int CL_API_CALL set_property(cl_command_queue queue,
                                                    cl_command_queue_properties how, cl_bool on,
                                                    cl_command_queue_properties *before) {
    (void)how, (void)on, (void)before; /* of version 1.0 */
    return platform_is(queue, PLATFORM_QUEUE) ? CL_INVALID_OPERATION : CL_INVALID_COMMAND_QUEUE;
}

static CL_API_ENTRY cl_int CL_API_CALL flush_queue(cl_command_queue queue) {
    return platform_is(queue, PLATFORM_QUEUE) ? CL_SUCCESS : CL_INVALID_COMMAND_QUEUE;
}

static CL_API_ENTRY cl_int CL_API_CALL finish_queue(cl_command_queue queue) {
    machine *m = machine_enter();
    if (!platform_is(queue, PLATFORM_QUEUE))
        return platform_left(m, CL_INVALID_COMMAND_QUEUE);
    platform_hold(queue);
    while (queue->first)
        pthread_cond_wait(&changed, &m->lock);
    platform_drop(m, queue);
    return platform_left(m, CL_SUCCESS);
}

/* ---- what programs do with events -------------------------------------------------------------------- */

PLATFORM_HELD(event, cl_event, PLATFORM_EVENT, CL_INVALID_EVENT)

static CL_API_ENTRY cl_event CL_API_CALL create_event(cl_context context, cl_int *error) {
    machine *m = machine_enter();
    const bool is = platform_is(context, PLATFORM_CONTEXT);
    cl_event event = is ? new_event(context, NULL, CL_COMMAND_USER, CL_SUBMITTED) : NULL;
    platform_fail(is ? CL_SUCCESS : CL_INVALID_CONTEXT, error);
    platform_leave(m);
    return event;
}

static CL_API_ENTRY cl_int CL_API_CALL set_event(cl_event event, cl_int status) {
    machine *m = machine_enter();
    const cl_int error = !platform_is(event, PLATFORM_EVENT) || event->type != CL_COMMAND_USER
                             ? CL_INVALID_EVENT
                         : status > CL_COMPLETE         ? CL_INVALID_VALUE
                         : event->status <= CL_COMPLETE ? CL_INVALID_OPERATION
                                                        : CL_SUCCESS;
    if (!error) {
        set_status(event, status);
        run_all(m);
    }
    return platform_left(m, error);
}

static CL_API_ENTRY cl_int CL_API_CALL wait_for_events(cl_uint count, const cl_event *events) {
    machine *m = machine_enter();
    cl_int error = count && events ? CL_SUCCESS : CL_INVALID_VALUE;
    for (cl_uint i = 0; i < count && !error; i++)
        error = !platform_is(events[i], PLATFORM_EVENT)    ? CL_INVALID_EVENT
                : events[i]->context != events[0]->context ? CL_INVALID_CONTEXT
                                                           : CL_SUCCESS;
    if (error)
        return platform_left(m, error);
    for (cl_uint i = 0; i < count; i++) {
        cl_event event = platform_hold(events[i]);
        if (wait_for(m, event) < 0)
            error = CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
        platform_drop(m, event);
    }
    return platform_left(m, error);
}

static CL_API_ENTRY cl_int CL_API_CALL set_callback(cl_event event, cl_int when,
                                                    void(CL_CALLBACK *function)(cl_event, cl_int,
                                                                                void *),
                                                    void *user) {
    machine *m = machine_enter();
    if (!platform_is(event, PLATFORM_EVENT))
        return platform_left(m, CL_INVALID_EVENT);
    if (!function || (when != CL_SUBMITTED && when != CL_RUNNING && when != CL_COMPLETE))
        return platform_left(m, CL_INVALID_VALUE);
    platform_callback *callback = hd_zeroed(1, sizeof *callback);
    *callback = (platform_callback){
        .next = event->callbacks, .when = when, .object = event, .event = function, .user = user};
    event->callbacks = callback;
    call_back(event);
    return platform_left(m, CL_SUCCESS);
}

static CL_API_ENTRY cl_int CL_API_CALL event_info(cl_event event, cl_event_info what, size_t room,
                                                  void *to, size_t *needs) {
    if (!platform_is(event, PLATFORM_EVENT))
        return CL_INVALID_EVENT;
    switch (what) {
    case CL_EVENT_COMMAND_QUEUE:
        return platform_give(&event->queue, sizeof(cl_command_queue), room, to, needs);
    case CL_EVENT_CONTEXT:
        return platform_give(&event->context, sizeof(cl_context), room, to, needs);
    case CL_EVENT_COMMAND_TYPE:
        return platform_give(&event->type, sizeof event->type, room, to, needs);
    case CL_EVENT_COMMAND_EXECUTION_STATUS:
        return platform_give(&event->status, sizeof event->status, room, to, needs);
    case CL_EVENT_REFERENCE_COUNT:
        return platform_give(&event->object.held, sizeof(cl_uint), room, to, needs);
    default: return CL_INVALID_VALUE;
    }
}

static CL_API_ENTRY cl_int CL_API_CALL event_times(cl_event event, cl_profiling_info what,
                                                   size_t room, void *to, size_t *needs) {
    if (!platform_is(event, PLATFORM_EVENT))
        return CL_INVALID_EVENT;
    if (!event->queue || event->status != CL_COMPLETE ||
        !(event->queue->properties & CL_QUEUE_PROFILING_ENABLE))
        return CL_PROFILING_INFO_NOT_AVAILABLE;
    if (what < CL_PROFILING_COMMAND_QUEUED || what > CL_PROFILING_COMMAND_COMPLETE)
        return CL_INVALID_VALUE;
    return platform_give(&event->times[what - CL_PROFILING_COMMAND_QUEUED], sizeof(cl_ulong), room,
                         to, needs);
}

void platform_queues(cl_icd_dispatch *table) {
    table->clCreateCommandQueue = create_queue;
    table->clCreateCommandQueueWithProperties = create_queue_with;
    table->clRetainCommandQueue = hold_queue;
    table->clReleaseCommandQueue = release_queue;
    table->clGetCommandQueueInfo = queue_info;
    table->clSetCommandQueueProperty = set_property;
    table->clFlush = flush_queue;
    table->clFinish = finish_queue;
    table->clCreateUserEvent = create_event;
    table->clSetUserEventStatus = set_event;
    table->clWaitForEvents = wait_for_events;
    table->clSetEventCallback = set_callback;
    table->clRetainEvent = hold_event;
    table->clReleaseEvent = release_event;
    table->clGetEventInfo = event_info;
    table->clGetEventProfilingInfo = event_times;
}

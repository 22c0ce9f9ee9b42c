/*
 * Metering: samples of a source, added up between start and stop.
 *
 * A counter's joules are the sum of its steps; a sensor's watts are integrated by trapezoids.
 * Samples are taken at start, at stop, and between them so often that no counter wraps twice, power
 * that changes is followed, and a source that vanishes or stalls is noticed when it does: what it
 * has counted until then would be too little.
 */
#include <fnmatch.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#include "driver/meter.h"

static const energy_api *const apis[] = {&energy_nvml,  &energy_rapl,         &energy_perf,
                                         &energy_hwmon, &energy_power_supply, &energy_command};
enum { APIS = sizeof apis / sizeof *apis };

static const double POWER_INTERVAL = 0.01, COUNTER_INTERVAL = 0.1; /* seconds, at most */
static const double STALL = 1;            /* seconds without anything new; of slow sources more */
static const double TICK_INTERVAL = 0.01; /* seconds between looks for a tick */
static const double IDLE_SECONDS = 0.5;
static const double MOST_WATTS = 1e5; /* what steps more is no meter's counter any longer */

struct hd_meter {
    hd_meter_source source;
    hd_meter_request request;
    hd_meter_time time;
    hd_arena *arena;      /* the caller's; used by its thread alone */
    energy_sensor sensor; /* with an arena of its own */
    bool has_thread;
    pthread_t thread;
    pthread_mutex_t lock; /* of all that follows */
    pthread_cond_t wake;
    bool is_running;
    double started, last, value; /* seconds of the clock; the value that was read last */
    double news;                 /* when it last told something new, also before it was started */
    double joules;
    const char *why; /* it has stopped telling */
};

static double system_now(void *self) {
    (void)self;
    return hd_clock();
}

static void system_sleep(void *self, double seconds) {
    (void)self;
    const struct timespec time = {.tv_sec = (time_t)seconds,
                                  .tv_nsec = (long)((seconds - floor(seconds)) * 1e9)};
    nanosleep(&time, NULL);
}

static const hd_meter_time system_time = {.now = system_now, .sleep = system_sleep};

/* ---- sources ------------------------------------------------------------------------------- */

/* By the first row that fits its name. */
static const char *what_of(const char *name) {
    static const struct {
        const char *pattern, *what;
    } rows[] = {{"nvml*", "device"},
                {"rapl:*:core", "cores"},
                {"rapl:*:dram", "dram"},
                {"rapl:*:*", "part"},
                {"rapl:psys*", "machine"},
                {"rapl*", "package"},
                {"perf:energy-cores", "cores"},
                {"perf:energy-ram", "dram"},
                {"perf:energy-psys", "machine"},
                {"perf:energy-pkg", "package"},
                {"perf:*", "part"},
                {"perf", "package"},
                {"hwmon", "device"},
                {"hwmon:amdgpu*", "device"},
                {"hwmon:i915*", "device"},
                {"hwmon:xe*", "device"},
                {"hwmon:nouveau*", "device"},
                {"hwmon:power_meter", "machine"},
                {"hwmon:*", "part"},
                {"*", "machine"}};
    size_t row = 0;
    while (fnmatch(rows[row].pattern, name, 0))
        row++;
    return rows[row].what;
}

void energy_add(hd_arena *arena, energy_sources *sources, const char *name, const char *title) {
    hd_push(arena, sources, (hd_meter_source){.name = name, .what = what_of(name), .title = title});
}

void energy_add_none(hd_arena *arena, energy_sources *sources, const char *kind, const char *why) {
    hd_push(arena, sources, (hd_meter_source){.name = kind, .what = what_of(kind), .why = why});
}

static const energy_api *api_of(const char *name) {
    for (size_t a = 0; a < APIS; a++) {
        size_t length = strlen(apis[a]->kind);
        if (!strncmp(name, apis[a]->kind, length) && (!name[length] || name[length] == ':'))
            return apis[a];
    }
    return NULL;
}

/* Opens it, into an arena of its own, and reads it once. NULL, or why not, which is the
 * sensor's. */
static const char *open_sensor(energy_sensor *sensor, const hd_meter_request *request,
                               const char *name, double *value) {
    *sensor = (energy_sensor){.api = api_of(name), .arena = hd_arena_new(), .request = request};
    const char *why = sensor->api->open(sensor, name);
    return why ? why : sensor->api->read(sensor, value);
}

static double patience_of(const energy_sensor *sensor) { return fmax(STALL, 3 * sensor->update); }

/* NULL, or that it has told nothing new for too long. */
static const char *why_stalled(const energy_sensor *sensor, double seconds) {
    return seconds > patience_of(sensor)
               ? hd_format(sensor->arena, "it stalled: nothing new for %.3g s", seconds)
               : NULL;
}

static void close_sensor(energy_sensor *sensor) {
    if (sensor->api->close)
        sensor->api->close(sensor);
    hd_arena_free(sensor->arena);
}

/* A source that is tried. */
typedef struct trial {
    energy_sensor sensor;
    double value; /* that it began with */
    bool ended;
} trial;

/* Whether a counter ticks: NULL, or why it cannot be read; `ended` when that is known. */
static const char *try_counter(trial *t, double seconds) {
    double value;
    const char *why = t->sensor.api->read(&t->sensor, &value);
    t->ended = why || value != t->value;
    if (!t->ended)
        why = why_stalled(&t->sensor, seconds);
    t->ended |= why != NULL;
    return why;
}

/* Of one kind, or of all; all are tried at once. */
static energy_sources list_sources(hd_arena *arena, const hd_meter_request *request,
                                   const energy_api *only) {
    const hd_meter_time *time = request->time ? request->time : &system_time;
    energy_sources all = {0};
    for (size_t a = 0; a < APIS; a++)
        if (!only || apis[a] == only)
            apis[a]->list(arena, request, &all);
    trial *trials = hd_new_array(arena, trial, all.count + 1);
    for (size_t i = 0; i < all.count; i++) {
        trial *t = &trials[i];
        if (!all.data[i].why)
            all.data[i].why = open_sensor(&t->sensor, request, all.data[i].name, &t->value);
        t->ended = all.data[i].why || t->sensor.is_power;
    }
    double start = time->now(time->self);
    for (bool waits = true; waits;) {
        waits = false;
        for (size_t i = 0; i < all.count; i++) {
            if (!trials[i].ended)
                all.data[i].why = try_counter(&trials[i], time->now(time->self) - start);
            waits |= !trials[i].ended;
        }
        if (waits)
            time->sleep(time->self, TICK_INTERVAL);
    }
    for (size_t i = 0; i < all.count; i++) {
        if (!trials[i].sensor.api) /* it was never opened */
            continue;
        all.data[i].why = all.data[i].why ? hd_strdup(arena, all.data[i].why) : NULL;
        close_sensor(&trials[i].sensor);
    }
    return all;
}

hd_meter_source *hd_meter_sources(hd_arena *arena, const hd_meter_request *request, size_t *count) {
    energy_sources all = list_sources(arena, request, NULL);
    hd_push(arena, &all, (hd_meter_source){.name = "model", .what = "device"});
    *count = all.count;
    return all.data;
}

/* `name` is `whole`, or the part before its colon. */
static bool begins(const char *name, const char *whole) {
    size_t length = strlen(name);
    return !strncmp(whole, name, length) && (!whole[length] || whole[length] == ':');
}

/* Whether a request means this source: by its whole name, or by its kind; where there is none of a
 * kind, the row that says why. */
static bool is_meant(const hd_meter_request *request, const hd_meter_source *source) {
    if (request->name && strchr(request->name, ':'))
        return !strcmp(source->name, request->name) ||
               (!strchr(source->name, ':') && begins(source->name, request->name));
    if (request->name)
        return begins(request->name, source->name);
    return !source->why && (!request->what || !strcmp(source->what, request->what)) &&
           (strcmp(source->name, energy_command.kind) || request->command);
}

/* The source that is meant: one that can be read before others, and the device's own. */
static const hd_meter_source *choose(hd_arena *arena, const hd_meter_request *request) {
    const energy_sources all =
        list_sources(arena, request, request->name ? api_of(request->name) : NULL);
    const hd_meter_source *best = NULL;
    int best_rank = -1;
    for (size_t i = 0; i < all.count; i++) {
        const hd_meter_source *s = &all.data[i];
        int rank = 2 * !s->why + (request->title && s->title && !strcmp(request->title, s->title));
        if (!is_meant(request, s) || rank <= best_rank)
            continue;
        best = s;
        best_rank = rank;
    }
    return best;
}

/* ---- opening --------------------------------------------------------------------------------- */

static hd_status fail_unknown(hd_arena *arena, const hd_diag *diag,
                              const hd_meter_request *request) {
    hd_str known = {.arena = arena};
    size_t count;
    const hd_meter_source *all = hd_meter_sources(arena, request, &count);
    for (size_t i = 0; i < count; i++)
        hd_str_printf(&known, "%s%s", i ? ", " : "", all[i].name);
    return hd_fail(diag, HD_EINPUT, NULL, "there is no meter '%.80s'; known are %s", request->name,
                   hd_str_text(&known));
}

static hd_meter *make(hd_arena *arena, const hd_meter_request *request,
                      const hd_meter_source *source) {
    hd_meter *meter = hd_new(arena, hd_meter);
    *meter = (hd_meter){.source = *source,
                        .request = *request,
                        .time = request->time ? *request->time : system_time,
                        .arena = arena,
                        .has_thread = !request->time};
    pthread_condattr_t monotonic;
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_mutex_init(&meter->lock, NULL);
    pthread_cond_init(&meter->wake, &monotonic);
    pthread_condattr_destroy(&monotonic);
    return meter;
}

hd_status hd_meter_open(hd_arena *arena, const hd_diag *diag, const hd_meter_request *request,
                        hd_meter **meter) {
    *meter = NULL;
    if (request->name && !strcmp(request->name, "model"))
        return HD_OK;
    const hd_meter_source *source = choose(arena, request);
    if (!source)
        return request->name ? fail_unknown(arena, diag, request) : HD_OK;
    if (source->why)
        return hd_fail(diag, HD_ESYSTEM, NULL, "the meter %s cannot be read: %s", source->name,
                       source->why);
    hd_meter *made = make(arena, request, source);
    const char *why = open_sensor(&made->sensor, &made->request, source->name, &made->value);
    if (why) {
        hd_status status =
            hd_fail(diag, HD_ESYSTEM, NULL, "the meter %s cannot be read: %s", source->name, why);
        hd_meter_close(made);
        return status;
    }
    double most = made->sensor.is_power ? POWER_INTERVAL : COUNTER_INTERVAL;
    made->sensor.seconds = made->sensor.seconds > 0 && !made->sensor.is_power
                               ? fmin(made->sensor.seconds, most)
                               : fmax(made->sensor.seconds, most);
    made->news = made->time.now(made->time.self);
    *meter = made;
    return HD_OK;
}

void hd_meter_close(hd_meter *meter) {
    close_sensor(&meter->sensor);
    pthread_cond_destroy(&meter->wake);
    pthread_mutex_destroy(&meter->lock);
}

const hd_meter_source *hd_meter_source_of(const hd_meter *meter) { return &meter->source; }

double hd_meter_interval(const hd_meter *meter) { return meter->sensor.seconds; }
double hd_meter_patience(const hd_meter *meter) { return patience_of(&meter->sensor); }

/* ---- samples --------------------------------------------------------------------------------- */

/* What a counter has gone on by; NULL, or what is wrong with that. */
static const char *add_step(hd_meter *m, double value, double seconds) {
    double step = value - m->value;
    if (step < 0)
        return "its counter went backwards";
    if (step > MOST_WATTS * (seconds + m->sensor.update) + m->sensor.step)
        return "its counter jumped";
    m->joules += step;
    return NULL;
}

/* Under the lock. */
static void take_sample(hd_meter *m) {
    double value;
    if (!m->why)
        m->why = m->sensor.api->read(&m->sensor, &value);
    if (m->why)
        return;
    double now = m->time.now(m->time.self);
    double seconds = now - m->last;
    if (m->sensor.is_power)
        m->joules += (value + m->value) / 2 * seconds;
    else
        m->why = add_step(m, value, seconds);
    if (!m->sensor.is_power && value != m->value) /* a counter may have been asked late */
        m->news = now;
    if (!m->why)
        m->why = why_stalled(&m->sensor, now - m->news);
    if (m->sensor.is_power)
        m->news = now;
    m->last = now;
    m->value = value;
}

void hd_meter_sample(hd_meter *meter) {
    pthread_mutex_lock(&meter->lock);
    if (meter->is_running)
        take_sample(meter);
    pthread_mutex_unlock(&meter->lock);
}

static void *sample_on(void *self) {
    hd_meter *m = self;
    pthread_mutex_lock(&m->lock);
    while (m->is_running) {
        struct timespec until;
        clock_gettime(CLOCK_MONOTONIC, &until);
        double end = (double)until.tv_nsec * 1e-9 + m->sensor.seconds;
        until.tv_sec += (time_t)end;
        until.tv_nsec = (long)((end - floor(end)) * 1e9);
        pthread_cond_timedwait(&m->wake, &m->lock, &until);
        if (m->is_running)
            take_sample(m);
    }
    pthread_mutex_unlock(&m->lock);
    return NULL;
}

void hd_meter_start(hd_meter *m) {
    double before = m->value;
    m->joules = 0;
    m->why = m->sensor.api->read(&m->sensor, &m->value);
    m->started = m->last = m->time.now(m->time.self);
    if (m->sensor.is_power || m->value != before)
        m->news = m->started;
    m->is_running = true;
    if (m->has_thread && pthread_create(&m->thread, NULL, sample_on, m)) {
        m->is_running = false;
        m->why = "no thread can be started to sample it";
    }
}

void hd_meter_stop(hd_meter *m, hd_meter_reading *reading) {
    pthread_mutex_lock(&m->lock);
    bool was_running = m->is_running;
    take_sample(m);
    double end = m->why ? m->time.now(m->time.self) : m->last; /* reading may take its time */
    m->is_running = false;
    pthread_cond_signal(&m->wake);
    pthread_mutex_unlock(&m->lock);
    if (was_running && m->has_thread)
        pthread_join(m->thread, NULL);
    double seconds = end - m->started, watts = seconds > 0 ? m->joules / seconds : 0;
    double step = m->sensor.step * (m->sensor.is_power ? seconds : 1);
    *reading = (hd_meter_reading){.joules = m->joules,
                                  .seconds = seconds,
                                  .resolution_joules = step + watts * m->sensor.update,
                                  .complete = !m->why,
                                  .source = m->source.name,
                                  .why = m->why ? hd_strdup(m->arena, m->why) : NULL};
}

void hd_meter_wait(hd_meter *meter, double seconds, hd_meter_reading *reading) {
    hd_meter_start(meter);
    meter->time.sleep(meter->time.self,
                      seconds > 0 ? seconds : fmax(IDLE_SECONDS, 10 * meter->sensor.update));
    hd_meter_stop(meter, reading);
}

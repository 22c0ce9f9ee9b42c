/*
 * Which layout a program (of kernels) is to have, found while it runs (docs/layer.md):
 *
 *     recording    the first launch of each kernel is recorded, until one is launched again
 *     racing       `heddle advise` of that names layouts; with each of them in turn each kernel runs both
 *                  ways once, and then as it would be
 *     chosen       the layout that gained most, conversions counted; or
 *     left         none gained enough
 *
 * What it came to is the next run's from its beginning.
 */
#include <jansson.h>
#include <stdlib.h>

#include "opencl/apply.h"
#include "watch/heddle_child.h"
#include "recording/recording.h"

typedef enum race_phase { RACE_RECORDS, RACE_RUNS, RACE_CHOSEN, RACE_LEFT } race_phase;

typedef struct race_candidate {
    const char *layouts; /* "particle=soa" */
    layer_exchange *exchange;
    double before,
        after;         /* seconds of the launches with it: in the program's form, and in this one */
    double converting; /* of these launches */
    uint64_t launches; /* so many */
} race_candidate;

struct layer_race {
    const char *key;    /* of the text, its options and the device */
    const char *kernel; /* that was launched first */
    race_phase phase;
    const char *why;               /* it is left; NULL: it is not, or not yet */
    bool is_known;                 /* from a run before */
    hd_vec(const char *) recorded; /* kernels */
    hd_vec(race_candidate) candidates;
    size_t at;         /* the one that runs */
    uint64_t launches; /* with it */
    double converted;  /* seconds of all conversions before it */
    double began;      /* when racing did, by hd_clock() */
    layer_exchange *chosen;
    double gain;       /* of the chosen one: share of the kernels' time */
    double each;       /* seconds that a launch gains by it */
    double setting_up; /* seconds that a run takes to begin with it */
    uint64_t total;    /* launches of the whole run */
};

/* Less than that is not told from chance, and not worth a second form. */
static const double least_gain = 0.03;

/* ---- answers of runs before ----------------------------------------------------------------------------- */

static const char *device_name(const layer *l, cl_command_queue queue, bool *is_processor) {
    cl_device_id device;
    cl_device_type type = 0;
    char name[512] = "";
    if (l->target->clGetCommandQueueInfo(queue, CL_QUEUE_DEVICE, sizeof(cl_device_id), &device,
                                         NULL))
        return "";
    l->target->clGetDeviceInfo(device, CL_DEVICE_NAME, sizeof name, name, NULL);
    l->target->clGetDeviceInfo(device, CL_DEVICE_TYPE, sizeof type, &type, NULL);
    *is_processor = type & CL_DEVICE_TYPE_CPU;
    return hd_strdup(l->arena, name);
}

static uint64_t hash_text(uint64_t hash, const char *text) {
    return hd_hash_bytes(hash, text, strlen(text) + 1);
}

static void take_known(layer *l, layer_program *p, const json_t *known) {
    layer_race *race = p->race;
    const char *layouts = json_string_value(json_object_get(known, "layouts"));
    const char *why = json_string_value(json_object_get(known, "why"));
    /* What is made of headers may have changed with them. */
    json_t *made = strstr(p->text, "#include") ? NULL : json_object_get(known, "made");
    race->is_known = true;
    race->gain = json_real_value(json_object_get(known, "gain"));
    race->phase = RACE_LEFT;
    race->why = why ? hd_strdup(l->arena, why) : NULL;
    if (!layouts)
        return;
    race->chosen = layer_exchange_new(l, p, hd_strdup(l->arena, layouts), made);
    race->phase = RACE_CHOSEN;
}

static layer_race *race_of(layer *l, layer_program *p, const layer_launch *launch) {
    layer_apply *a = l->apply;
    bool is_processor = false;
    if (p->race)
        return p->race;
    uint64_t hash = hash_text(HD_HASH_START, p->text);
    hash = hash_text(hash_text(hash, p->options), device_name(l, launch->queue, &is_processor));
    layer_race *race = p->race = hd_new(l->arena, layer_race);
    race->kernel = launch->kernel->name;
    race->key = hd_format(l->arena, "%016llx", (unsigned long long)hash);
    hd_push(l->arena, &a->racing, p);
    const json_t *known = json_object_get(a->known, race->key);
    if (known) {
        take_known(l, p, known);
    } else if (!a->recorder || (!strstr(p->text, "struct") && !strstr(p->text, "#include"))) {
        race->phase = RACE_LEFT;
        race->why = "there are no records in it";
    }
    return race;
}

/* ---- recording ---------------------------------------------------------------------------------------------- */

/* Whether this launch is recorded: the first one of its kernel. */
static bool wants_recording(layer *l, layer_race *race, const layer_kernel *k) {
    for (size_t i = 0; i < race->recorded.count; i++)
        if (!strcmp(race->recorded.data[i], k->name))
            return false;
    hd_push(l->arena, &race->recorded, k->name);
    return true;
}

static void add_candidate(layer *l, layer_race *race, const char *record, const char *notation) {
    const char *layouts = hd_format(l->arena, "%s=%s", record, notation);
    for (size_t i = 0; i < race->candidates.count; i++)
        if (!strcmp(race->candidates.data[i].layouts, layouts))
            return;
    hd_push(l->arena, &race->candidates, (race_candidate){.layouts = layouts});
}

/* The best by count, and SoA beside it. */
static const char *read_advice(layer *l, layer_race *race, const json_t *advice) {
    enum { OTHERS = 1 };
    const char *kind = json_string_value(json_object_get(advice, "kind"));
    const char *record =
        json_string_value(json_object_get(json_object_get(advice, "record"), "name"));
    const json_t *device = json_array_get(json_object_get(advice, "devices"), 0);
    const json_t *ranked = json_object_get(device, "ranked");
    size_t i;
    const json_t *o;
    if (!kind || !record)
        return "heddle advise tells of no record";
    if (strcmp(kind, "take") != 0)
        return "by what was counted no other layout is better";
    json_array_foreach(ranked, i, o) {
        const char *notation =
            json_string_value(json_object_get(json_object_get(o, "layout"), "notation"));
        if (notation && strcmp(notation, "aos") != 0 &&
            (race->candidates.count < OTHERS || !strcmp(notation, "soa")))
            add_candidate(l, race, record, notation);
    }
    return race->candidates.count ? NULL : "by what was counted no other layout is better";
}

static const char *find_candidates(layer *l, const layer_program *p, cl_command_queue queue) {
    const char *job = layer_recorded_job(l->apply->recorder, p), *why = NULL;
    bool is_processor = false;
    char *folder;
    device_name(l, queue, &is_processor);
    if (!job)
        return "no launch of it could be recorded";
    if (hd_scratch_make(l->arena, &l->apply->diag, &folder))
        return l->apply->message;
    const char *device = getenv("HEDDLE_LAYER_DEVICE");
    const char *words[] = {"advise", job,  "--json", "--quiet", "--whole",
                           "--run",  "2M", NULL,     NULL,      NULL};
    if (is_processor || (device && *device)) {
        words[7] = "--device";
        words[8] = device && *device ? device : "host";
    }
    hd_child_printed printed;
    why = hd_child_run(l->arena, words, folder, &printed);
    json_t *advice = json_loads(printed.out, 0, NULL);
    if (!advice && !why)
        why = hd_child_error(l->arena, &printed, folder);
    hd_scratch_remove(folder);
    if (advice)
        why = read_advice(l, p->race, advice);
    json_decref(advice);
    return why;
}

/* ---- racing ---------------------------------------------------------------------------------------------------- */

static void leave(layer *l, layer_program *p, const char *why) {
    layer_views_return(l);
    p->exchange = NULL;
    p->race->phase = RACE_LEFT;
    p->race->why = why;
}

static void choose(layer *l, layer_program *p) {
    layer_race *race = p->race;
    const race_candidate *best = NULL;
    for (size_t i = 0; i < race->candidates.count; i++) {
        const race_candidate *c = &race->candidates.data[i];
        const double gain = c->before > 0 ? (c->before - c->after - c->converting) / c->before : 0;
        if (gain >= least_gain && (!best || gain > race->gain)) {
            best = c;
            race->gain = gain;
        }
    }
    if (!best) {
        leave(l, p, "no other layout gained time, conversions counted");
        return;
    }
    if (p->exchange != best->exchange)
        layer_views_return(l);
    p->exchange = race->chosen = best->exchange;
    race->phase = RACE_CHOSEN;
    race->each = (best->before - best->after) / (double)best->launches;
    race->setting_up = layer_exchange_again(l, p, race->chosen);
    race->converted = layer_converting(l->apply);
}

/* The next candidate that can be built; after the last one the race is decided. */
static void start_next(layer *l, layer_program *p) {
    layer_race *race = p->race;
    layer_views_return(l);
    for (; race->at < race->candidates.count; race->at++) {
        race_candidate *c = &race->candidates.data[race->at];
        c->exchange = layer_exchange_new(l, p, c->layouts, NULL);
        race->launches = 0;
        race->converted = layer_converting(l->apply);
        if (layer_exchange_made(c->exchange))
            return;
    }
    choose(l, p);
}

/* What the candidate that runs has come to. */
static void tally(layer *l, layer_race *race) {
    race_candidate *c = &race->candidates.data[race->at];
    c->before = c->after = 0;
    c->launches = race->launches;
    for (size_t i = 0; i < l->apply->kernels.count; i++) {
        const layer_exchanged *x = l->apply->kernels.data[i];
        if (x->of != c->exchange || !x->timed)
            continue;
        c->before += x->seconds[0] / x->timed * (double)x->launches;
        c->after += x->seconds[1] / x->timed * (double)x->exchanged +
                    x->seconds[0] / x->timed * (double)(x->launches - x->exchanged);
    }
    c->converting = layer_converting(l->apply) - race->converted;
}

static double budget(void) {
    enum { USUAL = 60 };
    const char *seconds = getenv("HEDDLE_LAYER_BUDGET");
    return seconds && *seconds ? strtod(seconds, NULL) : USUAL;
}

/* Each kernel that was seen has run twice with it, or there is no more time. */
static bool is_done(layer_race *race) {
    if (race->launches && hd_clock() - race->began > budget()) {
        race->candidates.count = race->at + 1;
        return true;
    }
    return race->launches >= 2 * race->recorded.count && race->launches >= 2;
}

static cl_int run_decided(layer *l, layer_launch *launch) {
    return launch->kernel->program->race->phase == RACE_CHOSEN
               ? layer_launch_in_layout(l, launch, false)
               : layer_launch_as_is(l, launch);
}

static cl_int run_race(layer *l, layer_launch *launch) {
    layer_program *p = launch->kernel->program;
    layer_race *race = p->race;
    if (is_done(race)) {
        tally(l, race);
        race->at++;
        start_next(l, p);
    }
    if (race->phase != RACE_RUNS)
        return run_decided(l, launch);
    race->launches++;
    const layer_exchanged *x = layer_exchanged_of(l, launch->handle, launch->kernel);
    return layer_launch_in_layout(l, launch, x && !x->trials);
}

cl_int layer_launch_racing(layer *l, layer_launch *launch) {
    layer_apply *a = l->apply;
    layer_program *p = launch->kernel->program;
    layer_race *race = race_of(l, p, launch);
    race->total++;
    if (race->phase == RACE_RECORDS) {
        if (wants_recording(l, race, launch->kernel))
            return layer_launch_recorded(l, a->recorder, launch);
        const char *why = find_candidates(l, p, launch->queue);
        race->phase = RACE_RUNS;
        race->began = hd_clock();
        if (why)
            leave(l, p, why);
        else
            start_next(l, p);
    }
    return race->phase == RACE_RUNS ? run_race(l, launch) : run_decided(l, launch);
}

/* ---- what came of it ---------------------------------------------------------------------------------------- */

void layer_races_open(layer *l) {
    const char *known = getenv("HEDDLE_LAYER_KNOWN");
    l->apply = layer_apply_new(l, NULL);
    l->apply->recorder = l->recorder;
    l->recorder = NULL;
    l->apply->known = known && *known ? json_load_file(known, 0, NULL) : NULL;
}

static json_t *candidates_value(const layer_race *race) {
    json_t *list = json_array();
    for (size_t i = 0; i < race->candidates.count; i++) {
        const race_candidate *c = &race->candidates.data[i];
        json_array_append_new(list,
                              json_pack("{s:s, s:f, s:f, s:f}", "layouts", c->layouts, "before",
                                        c->before, "after", c->after, "converting", c->converting));
    }
    return list;
}

/* A run like this one from its beginning: NULL, or why it would not be worth it. */
static const char *why_not_again(const layer_apply *a, const layer_race *race) {
    const double gains = race->each * (double)race->total,
                 takes = race->setting_up + layer_converting(a) - race->converted;
    if (race->is_known || gains > takes)
        return NULL;
    return hd_format(a->arena,
                     "launches of such a run gain %.2g s, and beginning with %s and converting "
                     "take %.2g s",
                     gains, layer_exchange_layouts(race->chosen), takes);
}

json_t *layer_races_value(const layer_apply *a) {
    static const char early[] = "the program ended before anything was decided";
    json_t *list = json_array();
    for (size_t i = 0; i < a->racing.count; i++) {
        const layer_race *race = a->racing.data[i]->race;
        const char *why = race->phase == RACE_CHOSEN ? why_not_again(a, race)
                          : race->phase == RACE_LEFT ? race->why
                                                     : early;
        const bool chosen = race->phase == RACE_CHOSEN && !why;
        json_t *o = json_pack("{s:s, s:s, s:b, s:f, s:s*, s:s*, s:o}", "key", race->key, "kernel",
                              race->kernel, "known", race->is_known, "gain", race->gain, "layouts",
                              chosen ? layer_exchange_layouts(race->chosen) : NULL, "why",
                              chosen ? NULL : why, "candidates", candidates_value(race));
        if (chosen && layer_exchange_made(race->chosen))
            json_object_set(o, "made", layer_exchange_made(race->chosen));
        json_array_append_new(list, o);
    }
    return list;
}

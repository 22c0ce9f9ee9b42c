/*
 * Meters on made-up trees of sysfs, a made-up NVML and commands, by a clock that the test moves: power
 * is a known function of time, so the joules of every stretch are known.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "driver/energy.h"
#include "driver/fake_nvml.h"
#include "folder.h"
#include "sanitized.h"

/* ---- a world with a clock and a load ------------------------------------------------------- */

typedef struct world world;
typedef void show_fn(world *w, double joules, double watts);

struct world {
    hd_arena *arena;
    char *sysfs;
    hd_meter_time time;
    hd_meter_request request;
    hd_meter *meter;
    double now;
    double base, swing;  /* watts: base + swing * sin(2 pi t / PERIOD) */
    double update;       /* seconds between the meter's values */
    double range;        /* joules at which its counter wraps; 0: never */
    show_fn *show;       /* puts a value where the meter reads */
    double stalls, goes; /* from when on it shows nothing new, or is not there */
    void (*go)(world *w);
    double kernel;       /* seconds of a run */
    double began, ended; /* the last metered stretch */
    char path[512], other[512];
};

static const double PERIOD = 0.7;

static double joules_at(const world *w, double t) {
    double turn = 2 * M_PI / PERIOD;
    return w->base * t + w->swing * (1 - cos(turn * t)) / turn;
}

static double watts_at(const world *w, double t) {
    return w->base + w->swing * sin(2 * M_PI / PERIOD * t);
}

/* The meter shows what it knows now. */
static void show_now(world *w) {
    double seen = fmin(w->now, w->stalls);
    seen = w->update > 0 ? floor(seen / w->update) * w->update : seen;
    double joules = joules_at(w, seen) + 3; /* it does not begin at 0 */
    if (w->range > 0)
        joules = fmod(joules, w->range);
    if (w->now >= w->goes) {
        if (w->go)
            w->go(w);
        w->go = NULL;
    } else if (w->show) {
        w->show(w, joules, watts_at(w, seen));
    }
}

static void advance(world *w, double seconds) {
    double end = w->now + seconds;
    while (w->now < end) {
        w->now = fmin(end, w->now + (w->meter ? hd_meter_interval(w->meter) : seconds));
        show_now(w);
        if (w->meter)
            hd_meter_sample(w->meter);
    }
}

static double now_of(void *self) { return ((world *)self)->now; }
static void sleep_of(void *self, double seconds) { advance(self, seconds); }

static world new_world(void) {
    hd_arena *arena = hd_arena_new();
    return (world){.arena = arena,
                   .sysfs = folder_make(arena),
                   .base = 50,
                   .stalls = INFINITY,
                   .goes = INFINITY};
}

static void free_world(world *w) {
    if (w->meter)
        hd_meter_close(w->meter);
    folder_remove(w->sysfs);
    hd_arena_free(w->arena);
}

/* In place, padded with blanks: file systems that flush files that are written anew take long. */
static void write_text(const char *path, const char *text) {
    char padded[48];
    int file = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
    snprintf(padded, sizeof padded, "%-47s", text);
    if (file < 0 || pwrite(file, padded, sizeof padded - 1, 0) < 0 || close(file))
        fail_msg("cannot write %s", path);
}

/* A file of the tree, with the folders above it. */
static const char *put(world *w, const char *name, const char *text) {
    char *path = hd_format(w->arena, "%s/%s", w->sysfs, name);
    for (char *at = path + strlen(w->sysfs) + 1; (at = strchr(at, '/')); *at++ = '/') {
        *at = '\0';
        mkdir(path, 0755);
    }
    write_text(path, text);
    return path;
}

static void set_path(world *w, const char *name) {
    snprintf(w->path, sizeof w->path, "%s", put(w, name, "0\n"));
}

static void set_request(world *w, const char *name) {
    w->time = (hd_meter_time){now_of, sleep_of, w};
    w->request.name = name;
    w->request.sysfs = w->sysfs;
    w->request.time = &w->time;
    if (!w->request.nvml)
        w->request.nvml = "libnothing-of-nvidia.so.1";
    show_now(w);
}

static hd_status open_meter(world *w, const char *name, const hd_diag *diag) {
    set_request(w, name);
    return hd_meter_open(w->arena, diag, &w->request, &w->meter);
}

static void need_meter(world *w, const char *name) {
    assert_int_equal(open_meter(w, name, NULL), HD_OK);
    assert_non_null(w->meter);
}

static hd_status run_kernel(void *self, uint64_t times) {
    world *w = self;
    w->began = w->now;
    advance(w, (double)times * w->kernel);
    w->ended = w->now;
    return HD_OK;
}

static hd_energy repeat(world *w, const hd_energy_options *options) {
    const hd_energy_work work = {.run = run_kernel, .self = w};
    hd_energy energy;
    assert_int_equal(hd_energy_repeat(w->meter, &work, options, &energy), HD_OK);
    return energy;
}

/* ---- kinds of meters ------------------------------------------------------------------------- */

static void show_joules(world *w, double joules, double watts) {
    (void)watts;
    write_text(w->path, hd_format(w->arena, "%.0f\n", floor(joules * 1e6)));
}

static void show_watts(world *w, double joules, double watts) {
    (void)joules;
    write_text(w->path, hd_format(w->arena, "%.0f\n", watts * 1e6));
}

static void show_volts(world *w, double joules, double watts) {
    (void)joules;
    write_text(w->path, "12000000\n");
    write_text(w->other, hd_format(w->arena, "%.0f\n", watts / 12 * 1e6));
}

static void make_rapl(world *w) {
    put(w, "class/powercap/intel-rapl:0/name", "package-0\n");
    put(w, "class/powercap/intel-rapl:0/max_energy_range_uj", "20000000\n");
    set_path(w, "class/powercap/intel-rapl:0/energy_uj");
    w->range = 20;
    w->update = 1e-3;
    w->show = show_joules;
}

static void make_hwmon_energy(world *w) {
    put(w, "class/hwmon/hwmon3/name", "amdgpu\n");
    set_path(w, "class/hwmon/hwmon3/energy1_input");
    w->update = 0.02;
    w->show = show_joules;
}

static void make_hwmon_power(world *w) {
    put(w, "class/hwmon/hwmon3/name", "amdgpu\n");
    set_path(w, "class/hwmon/hwmon3/power1_average");
    w->show = show_watts;
}

static void make_supply(world *w) {
    put(w, "class/power_supply/AC/online", "0\n");
    put(w, "class/power_supply/BAT0/status", "Discharging\n");
    snprintf(w->other, sizeof w->other, "%s", put(w, "class/power_supply/BAT0/current_now", "1\n"));
    set_path(w, "class/power_supply/BAT0/voltage_now");
    w->show = show_volts;
}

static fake_nvml_state *nvml_state(void) {
    void *library = dlopen(FAKE_NVML, RTLD_NOW | RTLD_LOCAL);
    fake_nvml_state *state = library ? dlsym(library, "fake_nvml") : NULL;
    if (!state)
        fail_msg("%s", dlerror());
    return state;
}

static void show_nvml(world *w, double joules, double watts) {
    (void)w;
    nvml_state()->millijoules = (unsigned long long)(joules * 1e3);
    nvml_state()->milliwatts = (unsigned)(watts * 1e3);
}

static void make_nvml(world *w, bool has_energy) {
    w->request.nvml = FAKE_NVML;
    *nvml_state() = (fake_nvml_state){.has_energy = has_energy};
    w->update = has_energy ? 0.05 : 0;
    w->show = show_nvml;
}

static void make_nvml_energy(world *w) { make_nvml(w, true); }
static void make_nvml_power(world *w) { make_nvml(w, false); }

/* The counter of a perf event: a file, read from its start. */
static int perf_file = -1;

static int open_fake_event(struct perf_event_attr *event, int cpu) {
    errno = EINVAL;
    return event->type == 77 && event->config == 2 && cpu == 4 ? dup(perf_file) : -1;
}

static void show_perf(world *w, double joules, double watts) {
    (void)w, (void)watts;
    uint64_t steps[16]; /* it may be read several times before it moves */
    for (int i = 0; i < 16; i++)
        steps[i] = (uint64_t)(joules / 0x1p-14);
    if (lseek(perf_file, 0, SEEK_SET) || write(perf_file, steps, sizeof steps) != sizeof steps ||
        lseek(perf_file, 0, SEEK_SET))
        fail_msg("the perf file");
}

static void make_perf(world *w) {
    const char *folder = "bus/event_source/devices/power";
    put(w, hd_format(w->arena, "%s/type", folder), "77\n");
    put(w, hd_format(w->arena, "%s/cpumask", folder), "4\n");
    put(w, hd_format(w->arena, "%s/events/energy-pkg", folder), "event=0x02\n");
    put(w, hd_format(w->arena, "%s/events/energy-pkg.scale", folder), "6.103515625e-05\n");
    put(w, hd_format(w->arena, "%s/events/energy-pkg.unit", folder), "Joules\n");
    if (perf_file < 0)
        perf_file = memfd_create("perf", 0);
    w->request.open_event = open_fake_event;
    w->update = 1e-3;
    w->show = show_perf;
}

static void make_command(world *w) {
    set_path(w, "joules");
    w->request.command = hd_format(w->arena, "echo $(($(cat %s) / 1000))e-3 J", w->path);
    w->show = show_joules;
}

static const struct {
    const char *name;
    void (*make)(world *w);
    bool is_slow; /* to read, or tells little: a sample of lengths */
} kinds[] = {{"rapl:package-0", make_rapl, false},       {"perf:energy-pkg", make_perf, false},
             {"hwmon:amdgpu", make_hwmon_energy, false}, {"hwmon:amdgpu", make_hwmon_power, false},
             {"power_supply:BAT0", make_supply, true},   {"nvml:0", make_nvml_energy, false},
             {"nvml:1", make_nvml_power, false},         {"command", make_command, true}};
enum { KINDS = sizeof kinds / sizeof *kinds };

/* ---- joules are right -------------------------------------------------------------------------- */

static void check_kernel(size_t kind, double seconds, double swing) {
    world w = new_world();
    w.swing = swing;
    kinds[kind].make(&w);
    need_meter(&w, kinds[kind].name);
    w.kernel = seconds;
    hd_energy e = repeat(&w, &(hd_energy_options){.most_seconds = 400, .idle_seconds = PERIOD});
    double truth = (joules_at(&w, w.ended) - joules_at(&w, w.began)) / (double)e.repeats;
    if (e.missing || e.modelled || fabs(e.joules - truth) > 0.01 * truth || e.resolution > 0.01 ||
        fabs(e.seconds - seconds) > 1e-9 * seconds + 1e-12 || strcmp(e.source, kinds[kind].name))
        fail_msg("%s: %g J of %g s by %s (%llu runs, resolution %g, %s), but it is %g J",
                 kinds[kind].name, e.joules, e.seconds, e.source, (unsigned long long)e.repeats,
                 e.resolution, e.missing ? e.missing : "complete", truth);
    free_world(&w);
}

static void kernels_of_all_lengths_are_metered_right(void **state) {
    (void)state;
    for (size_t k = 0; k < KINDS; k++)
        for (double seconds = 10e-6; seconds < 11; seconds *= kinds[k].is_slow ? 1000 : 10)
            check_kernel(k, seconds, k % 2 ? 0 : 30);
}

static void samples_follow_power_and_wraps(void **state) {
    (void)state;
    world w = new_world();
    w.base = 200; /* the counter wraps every 0.1 s */
    w.swing = 150;
    make_rapl(&w);
    need_meter(&w, "rapl");
    hd_meter_reading r;
    show_now(&w);
    hd_meter_start(w.meter);
    advance(&w, 7.5);
    hd_meter_stop(w.meter, &r);
    double truth = joules_at(&w, 7.5);
    assert_true(r.complete && fabs(r.joules - truth) < 0.01 * truth);
    assert_true(truth > 70 * w.range);
    free_world(&w);
}

static void idle_power_is_subtracted_only_when_asked(void **state) {
    (void)state;
    for (int asked = 0; asked < 2; asked++) {
        world w = new_world();
        make_hwmon_power(&w);
        need_meter(&w, "hwmon:amdgpu");
        w.kernel = 0.25;
        hd_energy e = repeat(&w, &(hd_energy_options){.subtract_idle = asked});
        assert_true(fabs(e.idle_watts - 50) < 1e-6 && fabs(e.watts - 50) < 1e-6);
        assert_true(fabs(e.joules - (asked ? 0 : 12.5)) < 1e-6);
        assert_int_equal(e.idle_subtracted, asked);
        free_world(&w);
    }
}

static void too_little_time_is_said_by_the_resolution(void **state) {
    (void)state;
    world w = new_world();
    make_supply(&w);
    need_meter(&w, "power_supply");
    w.kernel = 0.5;
    hd_energy e = repeat(&w, &(hd_energy_options){.most_seconds = 20});
    assert_null(e.missing);
    assert_true(e.resolution > 0.01 && w.now < 35);
    free_world(&w);
}

static void work_that_changes_is_run_once(void **state) {
    (void)state;
    world w = new_world();
    make_rapl(&w);
    need_meter(&w, "rapl");
    w.kernel = 0.01;
    const hd_energy_work work = {.run = run_kernel, .self = &w, .once = true};
    hd_energy e;
    assert_int_equal(hd_energy_repeat(w.meter, &work, &(hd_energy_options){0}, &e), HD_OK);
    assert_null(e.missing);
    assert_true(e.repeats == 1 && e.resolution > 0.05 && e.resolution < 0.2);
    assert_true(fabs(e.joules - 0.5) <= e.resolution * 0.5 + 1e-9);
    free_world(&w);
}

static hd_status fail_to_run(void *self, uint64_t times) {
    (void)self, (void)times;
    return HD_ESYSTEM;
}

static void work_that_fails_is_a_failure(void **state) {
    (void)state;
    world w = new_world();
    make_rapl(&w);
    need_meter(&w, "rapl");
    const hd_energy_work work = {.run = fail_to_run, .self = &w};
    hd_energy e;
    assert_int_equal(hd_energy_repeat(w.meter, &work, &(hd_energy_options){0}, &e), HD_ESYSTEM);
    free_world(&w);
}

/* ---- what goes wrong while it meters -------------------------------------------------------------- */

static void remove_file(world *w) { assert_int_equal(unlink(w->path), 0); }
static void lose_gpu(world *w) {
    (void)w;
    nvml_state()->error = 15;
}
static void write_rubbish(world *w) { write_text(w->path, "-7\n"); }

static void check_missing(void (*make)(world *), const char *name, void (*go)(world *),
                          double stalls, const char *why) {
    world w = new_world();
    make(&w);
    need_meter(&w, name);
    w.kernel = 10;
    w.goes = go ? 4 : INFINITY;
    w.go = go;
    w.stalls = stalls;
    hd_energy e = repeat(&w, &(hd_energy_options){0});
    if (!e.missing || !strstr(e.missing, why) || e.joules != 0 || fabs(e.seconds - 10) > 1e-9)
        fail_msg("%s: %g J, %g s, %s", name, e.joules, e.seconds, e.missing ? e.missing : "-");
    free_world(&w);
}

static void a_meter_that_stops_costs_the_energy_not_the_time(void **state) {
    (void)state;
    check_missing(make_rapl, "rapl:package-0", NULL, 6, "it stalled: nothing new for 1");
    check_missing(make_nvml_energy, "nvml:0", NULL, 6, "it stalled: nothing new for 1");
    check_missing(make_rapl, "rapl:package-0", remove_file, INFINITY, "energy_uj is gone");
    check_missing(make_rapl, "rapl:package-0", write_rubbish, INFINITY, "holds '-7'");
    check_missing(make_hwmon_power, "hwmon:amdgpu", remove_file, INFINITY, "is gone");
    check_missing(make_nvml_energy, "nvml:0", lose_gpu, INFINITY, "GPU is lost");
    check_missing(make_nvml_power, "nvml:0", lose_gpu, INFINITY, "GPU is lost");
}

/* Short work is not repeated for long on a counter that stands still. */
static void a_counter_that_does_not_tick_is_given_up(void **state) {
    (void)state;
    world w = new_world();
    make_nvml_energy(&w);
    need_meter(&w, "nvml:0");
    w.kernel = 1e-3;
    w.stalls = w.now;
    for (int again = 0; again < 2; again++) {
        double start = w.now;
        hd_energy e = repeat(&w, &(hd_energy_options){0});
        assert_non_null(strstr(e.missing, "it stalled: nothing new for "));
        assert_true(w.now - start < (again ? 1.1 : 2.5));
    }
    w.stalls = INFINITY; /* it ticks again */
    advance(&w, 1);
    assert_null(repeat(&w, &(hd_energy_options){0}).missing);
    free_world(&w);
}

static void a_sensor_that_does_not_answer_has_stalled(void **state) {
    (void)state;
    world w = new_world();
    make_hwmon_power(&w);
    need_meter(&w, "hwmon:amdgpu");
    hd_meter_reading r;
    hd_meter_start(w.meter);
    w.now += 3; /* without a sample */
    hd_meter_stop(w.meter, &r);
    assert_false(r.complete);
    assert_non_null(strstr(r.why, "it stalled: nothing new for 3 s"));
    assert_true(r.seconds == 3);
    free_world(&w);
}

static void counters_neither_jump_nor_go_back(void **state) {
    (void)state;
    static const struct {
        unsigned long long then;
        const char *why;
    } cases[] = {{500, "went backwards"}, {1000000000000, "jumped"}};
    for (int i = 0; i < 2; i++) {
        world w = new_world();
        make_nvml_energy(&w);
        need_meter(&w, "nvml");
        w.show = NULL;
        hd_meter_reading r;
        hd_meter_start(w.meter);
        nvml_state()->millijoules = cases[i].then;
        advance(&w, 0.5);
        hd_meter_stop(w.meter, &r);
        assert_false(r.complete);
        assert_non_null(strstr(r.why, cases[i].why));
        free_world(&w);
    }
}

/* ---- what cannot be opened ------------------------------------------------------------------------- */

static void hear(const hd_message *message, void *user) {
    snprintf(user, 1024, "%s", message->text);
}

static void check_refused(world *w, const char *name, const char *says) {
    char heard[1024] = "";
    assert_int_not_equal(open_meter(w, name, &(hd_diag){hear, heard}), HD_OK);
    assert_null(w->meter);
    if (!strstr(heard, says) || strchr(heard, '\n'))
        fail_msg("%s: %s", name, heard);
}

static void garbage_in_files_is_named(void **state) {
    (void)state;
    static const char *const texts[] = {"",        "\n",    "-5\n",    "none\n",
                                        "12 34\n", "nan\n", "1e400\n", "99000000\n"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        world w = new_world();
        make_rapl(&w);
        w.show = NULL;
        write_text(w.path, texts[i]);
        check_refused(&w, "rapl:package-0", "energy_uj holds ");
        free_world(&w);
    }
    world w = new_world();
    make_rapl(&w);
    put(&w, "class/powercap/intel-rapl:0/max_energy_range_uj", "0\n");
    check_refused(&w, "rapl:package-0", "max_energy_range_uj of intel-rapl:0 is 0");
    free_world(&w);
    w = new_world();
    make_supply(&w);
    put(&w, "class/power_supply/BAT0/status", "Charging\n");
    check_refused(&w, "power_supply:BAT0", "unplug the mains");
    free_world(&w);
    w = new_world();
    make_perf(&w);
    put(&w, "bus/event_source/devices/power/events/energy-pkg.unit", "Watts\n");
    check_refused(&w, "perf:energy-pkg", "is not counted in joules");
    put(&w, "bus/event_source/devices/power/events/energy-pkg.unit", "Joules\n");
    put(&w, "bus/event_source/devices/power/cpumask", "none\n");
    check_refused(&w, "perf:energy-pkg", "its cpumask is 'none'");
    put(&w, "bus/event_source/devices/power/cpumask", "4-5\n");
    check_refused(&w, "perf:energy-pkg", "perf_event_open fails: Invalid argument");
    free_world(&w);
}

static int refuse_event(struct perf_event_attr *event, int cpu) {
    (void)event, (void)cpu;
    errno = EACCES;
    return -1;
}

/* Of a process that is not root: 0 when it is told how to get at the counter. */
static int without_permission(world *w) {
    char heard[1024] = "";
    if (getuid() == 0 && (setgid(65534) || setuid(65534)))
        return 1;
    hd_status status = hd_meter_open(w->arena, &(hd_diag){hear, heard}, &w->request, &w->meter);
    return status == HD_ESYSTEM && strstr(heard, "energy_uj may not be read: ") &&
                   strstr(heard, "sudo chmod a+r") && !strchr(heard, '\n')
               ? 0
               : 2;
}

static void lack_of_permission_says_how_to_get_it(void **state) {
    (void)state;
    world w = new_world();
    make_rapl(&w);
    need_meter(&w, "rapl:package-0");
    hd_meter_close(w.meter);
    w.meter = NULL;
    assert_int_equal(chmod(w.sysfs, 0755) | chmod(w.path, 0), 0);
    pid_t child = fork();
    int status = 0;
    if (!child)
        _exit(without_permission(&w));
    assert_true(waitpid(child, &status, 0) == child && WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
    chmod(w.path, 0644);
    make_perf(&w);
    w.request.open_event = refuse_event;
    check_refused(&w, "perf:energy-pkg", "sudo sysctl kernel.perf_event_paranoid=0");
    make_nvml_energy(&w);
    nvml_state()->error = 4;
    check_refused(&w, "nvml:0", "insufficient permissions");
    nvml_state()->error = 0;
    free_world(&w);
}

static void commands_that_do_not_tell_are_named(void **state) {
    (void)state;
    static const struct {
        const char *command, *says;
    } cases[] = {{NULL, "--meter-command CMD"},
                 {"exit 3", "ended with status 3"},
                 {"kill -9 $$", "ended by signal 9"},
                 {"sleep 60", "took more than 0.2 s"},
                 {"sleep 60 & exec sleep 60", "took more than 0.2 s"},
                 {"true", "printed ''"},
                 {"echo much", "printed 'much'; it must print one number and J or W"},
                 {"echo 12", "printed '12'"},
                 {"echo -3 J", "printed '-3 J'"},
                 {"echo 3 kJ", "printed '3 kJ'"},
                 {"echo 3 J 4", "printed '3 J 4'"},
                 {"echo inf W", "printed 'inf W'"},
                 {"yes", "printed 'y'"},
                 {"echo 5 J", "it stalled: nothing new for 1"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        world w = new_world();
        w.request.command = cases[i].command;
        w.request.command_seconds = 0.2;
        check_refused(&w, "command", cases[i].says);
        free_world(&w);
    }
}

static void a_command_that_begins_to_fail_costs_the_energy(void **state) {
    (void)state;
    world w = new_world();
    set_path(&w, "watts");
    w.request.command = hd_format(w.arena, "cat %s", w.path);
    write_text(w.path, "40.5 W\n");
    need_meter(&w, "command");
    hd_meter_reading r;
    hd_meter_start(w.meter);
    advance(&w, 0.4);
    hd_meter_stop(w.meter, &r);
    assert_true(r.complete && fabs(r.joules - 0.4 * 40.5) < 1e-9);
    hd_meter_start(w.meter);
    advance(&w, 0.2);
    write_text(w.path, "41 J\n");
    advance(&w, 0.2);
    hd_meter_stop(w.meter, &r);
    assert_false(r.complete);
    assert_non_null(strstr(r.why, "joules once and watts another time"));
    free_world(&w);
}

/* ---- lists and choices ------------------------------------------------------------------------------ */

static void sources_are_listed_with_what_hinders(void **state) {
    (void)state;
    world w = new_world();
    make_rapl(&w);
    put(&w, "class/powercap/intel-rapl:0:0/name", "core\n");
    put(&w, "class/powercap/intel-rapl:0:0/max_energy_range_uj", "20000000\n");
    put(&w, "class/powercap/intel-rapl:0:0/energy_uj", "rubbish\n");
    put(&w, "class/powercap/intel-rapl:0:1/name", "dram\n");
    put(&w, "class/powercap/intel-rapl:1/name", "psys\n");
    put(&w, "class/hwmon/hwmon1/name", "cooler\n");
    put(&w, "class/hwmon/hwmon2/name", "amdgpu\n");
    put(&w, "class/hwmon/hwmon2/power1_input", "5\n");
    put(&w, "class/hwmon/hwmon10/name", "amdgpu\n");
    put(&w, "class/hwmon/hwmon10/power1_average", "5\n");
    put(&w, "class/powercap/intel-rapl:0:2/name", "uncore\n");
    put(&w, "class/powercap/intel-rapl:0:2/max_energy_range_uj", "20000000\n");
    put(&w, "class/powercap/intel-rapl:0:2/energy_uj", "17\n");
    set_request(&w, NULL);
    static const struct {
        const char *name, *what, *why;
    } expected[] = {
        {"nvml", "device", "there is no libnothing-of-nvidia.so.1: install NVIDIA's driver"},
        {"rapl:package-0", "package", NULL},
        {"rapl:package-0:core", "cores", "holds 'rubbish'"},
        {"rapl:package-0:dram", "dram", "max_energy_range_uj is gone"},
        {"rapl:package-0:uncore", "part", "it stalled: nothing new for 1"},
        {"rapl:psys", "machine", "max_energy_range_uj is gone"},
        {"perf", "package", "load the kernel module rapl"},
        {"hwmon:amdgpu", "device", NULL},
        {"hwmon:amdgpu-2", "device", NULL},
        {"power_supply", "machine", "--meter-command"},
        {"command", "machine", "--meter-command"},
        {"model", "device", NULL}};
    size_t count;
    const hd_meter_source *all = hd_meter_sources(w.arena, &w.request, &count);
    assert_int_equal(count, sizeof expected / sizeof *expected);
    for (size_t i = 0; i < count; i++) {
        assert_string_equal(all[i].name, expected[i].name);
        assert_string_equal(all[i].what, expected[i].what);
        if (!all[i].why != !expected[i].why || (all[i].why && !strstr(all[i].why, expected[i].why)))
            fail_msg("%s: %s", all[i].name, all[i].why ? all[i].why : "-");
    }
    assert_true(w.now < 1.1); /* all are tried at once */
    free_world(&w);
}

static void show_both(world *w, double joules, double watts) {
    show_joules(w, joules, watts);
    show_nvml(w, joules, watts);
}

static void check_choice(world *w, const char *name, const char *what, const char *title,
                         const char *chosen) {
    w->request.what = what;
    w->request.title = title;
    assert_int_equal(open_meter(w, name, NULL), HD_OK);
    if (!w->meter || !chosen) {
        assert_true(!w->meter && !chosen);
        return;
    }
    assert_string_equal(hd_meter_source_of(w->meter)->name, chosen);
    hd_meter_close(w->meter);
    w->meter = NULL;
}

static void a_readable_meter_of_the_thing_is_chosen(void **state) {
    (void)state;
    world w = new_world();
    make_rapl(&w);
    check_choice(&w, NULL, "device", NULL, NULL);
    check_choice(&w, NULL, "package", NULL, "rapl:package-0");
    check_choice(&w, NULL, NULL, NULL, "rapl:package-0");
    make_nvml_energy(&w);
    w.show = show_both;
    check_choice(&w, NULL, "device", "Fake GPU", "nvml:0");
    check_choice(&w, NULL, "package", "Fake GPU", "rapl:package-0");
    check_choice(&w, "nvml:1", "package", NULL, "nvml:1");
    check_choice(&w, "model", NULL, NULL, NULL);
    w.show = show_nvml;
    check_choice(&w, NULL, "package", NULL, NULL);
    write_text(w.path, "rubbish\n");
    check_choice(&w, NULL, "package", NULL, NULL);
    check_refused(&w, "rapl", "the meter rapl:package-0 cannot be read: ");
    check_refused(&w, "rap", "there is no meter 'rap'; known are nvml:0, nvml:1, rapl:package-0");
    check_refused(&w, "nvml:7", "there is no meter 'nvml:7'");
    check_refused(&w, "hwmon:amdgpu", "the meter hwmon cannot be read: nothing in ");
    assert_int_equal(nvml_state()->open, 0);
    free_world(&w);
}

/* Packages whose counters begin anew at different joules are summed. */
static void packages_are_summed(void **state) {
    (void)state;
    world w = new_world();
    make_rapl(&w);
    put(&w, "class/powercap/intel-rapl:1/name", "package-1\n");
    put(&w, "class/powercap/intel-rapl:1/max_energy_range_uj", "7000000\n");
    put(&w, "class/powercap/intel-rapl:1/energy_uj", "6500000\n");
    check_choice(&w, NULL, "package", NULL, "rapl:packages");
    need_meter(&w, "rapl:packages");
    hd_meter_reading r;
    hd_meter_start(w.meter);
    advance(&w, 0.3);
    put(&w, "class/powercap/intel-rapl:1/energy_uj", "1500000\n");
    advance(&w, 0.3);
    hd_meter_stop(w.meter, &r);
    assert_true(r.complete && fabs(r.joules - (0.6 * 50 + 2)) < 0.1);
    free_world(&w);
}

/* With the system's clock: a thread samples. */
static void a_thread_samples_by_the_systems_clock(void **state) {
    (void)state;
    world w = new_world();
    make_hwmon_power(&w);
    write_text(w.path, "8000000\n");
    w.request = (hd_meter_request){.name = "hwmon", .sysfs = w.sysfs, .nvml = "libnothing.so"};
    assert_int_equal(hd_meter_open(w.arena, NULL, &w.request, &w.meter), HD_OK);
    hd_meter_reading r;
    hd_meter_wait(w.meter, 0.05, &r);
    assert_true(r.complete && r.seconds >= 0.05);
    assert_true(fabs(r.joules - 8 * r.seconds) < 0.1 * r.joules);
    free_world(&w);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kernels_of_all_lengths_are_metered_right),
        cmocka_unit_test(samples_follow_power_and_wraps),
        cmocka_unit_test(idle_power_is_subtracted_only_when_asked),
        cmocka_unit_test(too_little_time_is_said_by_the_resolution),
        cmocka_unit_test(work_that_changes_is_run_once),
        cmocka_unit_test(work_that_fails_is_a_failure),
        cmocka_unit_test(a_meter_that_stops_costs_the_energy_not_the_time),
        cmocka_unit_test(a_counter_that_does_not_tick_is_given_up),
        cmocka_unit_test(a_sensor_that_does_not_answer_has_stalled),
        cmocka_unit_test(counters_neither_jump_nor_go_back),
        cmocka_unit_test(garbage_in_files_is_named),
        cmocka_unit_test(lack_of_permission_says_how_to_get_it),
        cmocka_unit_test(commands_that_do_not_tell_are_named),
        cmocka_unit_test(a_command_that_begins_to_fail_costs_the_energy),
        cmocka_unit_test(sources_are_listed_with_what_hinders),
        cmocka_unit_test(a_readable_meter_of_the_thing_is_chosen),
        cmocka_unit_test(packages_are_summed),
        cmocka_unit_test(a_thread_samples_by_the_systems_clock),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

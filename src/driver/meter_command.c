/*
 * A command of the user's, for the shell, that prints one number with its unit: "123.4 J", the
 * joules of a counter, or "56 W". For meters at the plug, management controllers and the like.
 */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "driver/meter.h"

extern char **environ;

enum { MOST_OUTPUT = 256 };
static const double MOST_SECONDS = 5;

/* Starts it in a process group of its own, its output in `*output`; 0: it cannot be started. */
static pid_t start(const char *command, int *output) {
    int ends[2];
    pid_t child = 0;
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    if (pipe2(ends, O_CLOEXEC) != 0)
        return 0;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
    const char *const words[] = {"sh", "-c", command, NULL};
    if (posix_spawn(&child, "/bin/sh", &actions, &attributes, (char *const *)words, environ))
        child = 0;
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    close(ends[1]);
    if (!child)
        close(ends[0]);
    *output = ends[0];
    return child;
}

/* What it prints, up to MOST_OUTPUT - 1 bytes; false: it took too long. */
static bool collect(int output, double seconds, char *text) {
    size_t length = 0;
    double end = hd_clock() + seconds;
    for (ssize_t got = 1; got > 0 && length + 1 < MOST_OUTPUT;) {
        struct pollfd ready = {.fd = output, .events = POLLIN};
        double left = end - hd_clock();
        if (left <= 0 || poll(&ready, 1, (int)(left * 1000) + 1) == 0)
            return false;
        got = read(output, text + length, MOST_OUTPUT - 1 - length);
        length += got > 0 ? (size_t)got : 0;
        if (got < 0 && errno == EINTR)
            got = 1;
    }
    text[length] = '\0';
    return true;
}

/* The number that it prints, and in which unit; `step` is that of its last digit. */
static const char *parse(hd_arena *arena, const char *text, double *value, bool *is_power,
                         double *step) {
    char *end;
    *value = strtod(text, &end);
    const char *unit = end + strspn(end, " \t");
    const char *rest = *unit ? unit + 1 + strspn(unit + 1, " \t\r\n") : unit;
    if (end == text || !isfinite(*value) || *value < 0 || (*unit != 'J' && *unit != 'W') || *rest)
        return hd_format(arena,
                         "the command printed '%.*s'; it must print one number and J or W, "
                         "like '12.3 J'",
                         (int)strcspn(text, "\n"), text);
    const char *point = memchr(text, '.', (size_t)(end - text));
    *is_power = *unit == 'W';
    *step = point ? pow(10, -(double)strspn(point + 1, "0123456789")) : 1;
    return NULL;
}

static const char *run(energy_sensor *sensor, double *value, bool *is_power, double *step) {
    const hd_meter_request *request = sensor->request;
    double seconds = request->command_seconds ? request->command_seconds : MOST_SECONDS;
    char text[MOST_OUTPUT] = "";
    int output, status;
    pid_t child = start(request->command, &output);
    if (!child)
        return "the command cannot be started";
    bool in_time = collect(output, seconds, text);
    close(output);
    bool is_endless = strlen(text) + 1 == MOST_OUTPUT;
    if (!in_time || is_endless)
        kill(-child, SIGKILL);
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    if (!in_time)
        return hd_format(sensor->arena, "the command took more than %g s", seconds);
    if (!is_endless && (!WIFEXITED(status) || WEXITSTATUS(status)))
        return WIFEXITED(status)
                   ? hd_format(sensor->arena, "the command ended with status %d; run it by hand",
                               WEXITSTATUS(status))
                   : hd_format(sensor->arena, "the command ended by signal %d", WTERMSIG(status));
    return parse(sensor->arena, text, value, is_power, step);
}

static const char *read_value(energy_sensor *sensor, double *value) {
    bool is_power = sensor->is_power;
    double step;
    const char *why = run(sensor, value, &is_power, &step);
    if (!why && is_power != sensor->is_power)
        return "the command printed joules once and watts another time";
    return why;
}

static const char *open_command(energy_sensor *sensor, const char *name) {
    double value;
    (void)name;
    if (!sensor->request->command)
        return "no command was given: --meter-command CMD, which prints joules or watts, like "
               "'12.3 J'";
    sensor->seconds = 0.1;
    sensor->update = 0.01; /* its value is taken to be fresh when it is asked */
    double before = hd_clock();
    const char *why = run(sensor, &value, &sensor->is_power, &sensor->step);
    double took = hd_clock() - before;
    if (took > sensor->update) /* a value is as old as the command is slow */
        sensor->update = took;
    return why;
}

static void list(hd_arena *arena, const hd_meter_request *request, energy_sources *sources) {
    energy_add(arena, sources, "command", request->command);
}

const energy_api energy_command = {
    .kind = "command", .list = list, .open = open_command, .read = read_value};

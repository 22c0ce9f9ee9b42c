/* Files that are written: links, modes, what is refused, and a signal at every step. */
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/place.h"

/* ---- calls that count, here instead of those of the C library ---------------------------------
 */

static long steps, signal_at;
static bool nameless = true; /* the file system has files without names */

static void step(void) {
    if (++steps == signal_at)
        kill(getpid(), SIGTERM);
}

int fsync(int fd) {
    step();
    return (int)syscall(SYS_fsync, fd);
}

int rename(const char *from, const char *to) {
    step();
    int result = (int)syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0);
    step();
    return result;
}

int linkat(int from_folder, const char *from, int to_folder, const char *to, int flags) {
    step();
    int result = (int)syscall(SYS_linkat, from_folder, from, to_folder, to, flags);
    step();
    return result;
}

/* /proc is not there. */
int access(const char *path, int mode) {
    if (!nameless && !strncmp(path, "/proc/self/fd/", 14))
        return -1;
    return (int)syscall(SYS_faccessat, AT_FDCWD, path, mode);
}

/* ---- a folder -----------------------------------------------------------------------------------
 */

static int set_up(void **state) {
    *state = calloc(1, sizeof(place));
    open_place(*state);
    return 0;
}

static int tear_down(void **state) {
    close_place(*state);
    free(*state);
    return 0;
}

static hd_status put(place *p, const char *name, const char *text) {
    return hd_write_file(&p->diag, at(p, name), text, strlen(text));
}

/* ---- the tests
 * ------------------------------------------------------------------------------------ */

static void a_link_stays_and_its_file_is_written(void **state) {
    place *p = *state;
    struct stat link;
    assert_int_equal(mkdir(at(p, "sub"), 0700), 0);
    assert_int_equal(symlink("sub/real", at(p, "one")), 0);
    assert_int_equal(symlink(at(p, "one"), at(p, "two")), 0);
    assert_int_equal(put(p, "two", "made"), HD_OK); /* nothing was there */
    assert_true(holds(p, "sub/real", "made"));
    assert_int_equal(put(p, "two", "again"), HD_OK);
    assert_true(holds(p, "sub/real", "again"));
    assert_int_equal(lstat(at(p, "one"), &link), 0);
    assert_true(S_ISLNK(link.st_mode));
    assert_int_equal(lstat(at(p, "two"), &link), 0);
    assert_true(S_ISLNK(link.st_mode));
    assert_int_equal(entries(p->folder), 3);
    assert_int_equal(p->messages, 0);
}

static void a_file_keeps_its_mode(void **state) {
    place *p = *state;
    struct stat old, new;
    mode_t before = umask(027);
    assert_int_equal(put(p, "file", "one"), HD_OK);
    assert_int_equal(stat(at(p, "file"), &old), 0);
    assert_int_equal(old.st_mode & 07777, 0640);
    assert_int_equal(chmod(at(p, "file"), 0604), 0);
    if (!geteuid())
        assert_int_equal(chown(at(p, "file"), 1234, 4321), 0);
    assert_int_equal(stat(at(p, "file"), &old), 0);
    assert_int_equal(put(p, "file", "two"), HD_OK);
    umask(before);
    assert_int_equal(stat(at(p, "file"), &new), 0);
    assert_int_equal(new.st_mode & 07777, 0604);
    assert_int_equal(new.st_uid, old.st_uid);
    assert_int_equal(new.st_gid, old.st_gid);
    assert_true(holds(p, "file", "two"));
}

static void what_is_no_regular_file_is_refused(void **state) {
    place *p = *state;
    struct stat now;
    assert_int_equal(mkfifo(at(p, "pipe"), 0600), 0);
    assert_int_equal(symlink("/dev/null", at(p, "device")), 0);
    assert_int_equal(symlink("b", at(p, "a")), 0);
    assert_int_equal(symlink("a", at(p, "b")), 0);
    assert_int_equal(put(p, "pipe", "x"), HD_EINPUT);
    assert_int_equal(put(p, "device", "x"), HD_EINPUT);
    assert_non_null(strstr(p->text, "device: this is no regular file"));
    assert_int_equal(put(p, ".", "x"), HD_EINPUT);
    assert_int_equal(put(p, "a", "x"), HD_EINPUT);
    assert_non_null(strstr(p->text, "links lead in a circle"));
    assert_int_equal(p->messages, 4);
    assert_int_equal(lstat(at(p, "pipe"), &now), 0);
    assert_true(S_ISFIFO(now.st_mode));
    assert_int_equal(entries(p->folder), 4);

    char *text;
    size_t length;
    alarm(60); /* opening a pipe would wait for ever */
    assert_int_equal(hd_read_file(p->arena, &p->diag, at(p, "pipe"), &text, &length), HD_EINPUT);
    assert_non_null(strstr(p->text, "pipe: cannot read: this is a pipe or a device"));
    assert_int_equal(hd_read_file(p->arena, &p->diag, "/dev/zero", &text, &length), HD_EINPUT);
    alarm(0);
    assert_int_equal(put(p, "long", "12345"), HD_OK);
    assert_int_equal(hd_read_long_file(p->arena, &p->diag, at(p, "long"), 4, &text, &length),
                     HD_EINPUT);
    assert_int_equal(hd_read_long_file(p->arena, &p->diag, at(p, "long"), 5, &text, &length),
                     HD_OK);
    assert_int_equal(length, 5);
    assert_int_equal(p->messages, 7);
    assert_int_equal(hd_read_file(p->arena, &p->diag, "/proc/self/status", &text, &length), HD_OK);
    assert_true(length > 100 && strlen(text) == length); /* its size is said to be 0 */
}

/* Standard output is a file here, and so is what its name leads to. */
static void standard_output_is_not_replaced(void **state) {
    place *p = *state;
    assert_int_equal(put(p, "printed", ""), HD_OK);
    pid_t child = fork();
    int ended;
    if (!child) {
        int fd = open(at(p, "printed"), O_WRONLY);
        dup2(fd, STDOUT_FILENO);
        _exit(hd_write_file(&p->diag, "/dev/stdout", "x", 1) == HD_EINPUT &&
              hd_write_file(&p->diag, at(p, "printed"), "x", 1) == HD_EINPUT && p->messages == 2 &&
              strstr(p->text, "standard output goes there"));
    }
    assert_int_equal(waitpid(child, &ended, 0), child);
    assert_true(WIFEXITED(ended) && WEXITSTATUS(ended) == 1);
    assert_true(holds(p, "printed", ""));
}

static hd_status write_two(place *p) {
    const hd_output files[] = {{at(p, "old"), "second", 6}, {at(p, "new"), "first", 5}};
    hd_file *long_file;
    hd_status status = hd_write_files(&p->diag, files, 2);
    if (status == HD_OK)
        status = hd_file_begin(p->arena, &p->diag, at(p, "old"), &long_file);
    step();
    if (status == HD_OK)
        status = hd_file_add(long_file, "third", 5);
    step();
    return status == HD_OK ? hd_file_keep(long_file) : status;
}

static void a_signal_leaves_no_temporary(void **state) {
    place *p = *state;
    bool more = true;
    for (long s = 1; more; s++) {
        unlink(at(p, "new"));
        unlink(at(p, "old"));
        assert_int_equal(put(p, "old", "whole"), HD_OK);
        pid_t child = fork();
        int ended;
        if (!child) {
            steps = 0;
            signal_at = s;
            _exit(write_two(p));
        }
        assert_int_equal(waitpid(child, &ended, 0), child);
        more = WIFSIGNALED(ended);
        assert_true(more ? WTERMSIG(ended) == SIGTERM : WEXITSTATUS(ended) == 0);
        assert_true(holds(p, "old", "whole") || holds(p, "old", "second") ||
                    holds(p, "old", "third"));
        assert_true(access(at(p, "new"), F_OK) || holds(p, "new", "first"));
        assert_int_equal(entries(p->folder), access(at(p, "new"), F_OK) ? 1 : 2);
        assert_true(s < 100);
    }
    assert_true(holds(p, "old", "third"));
}

static void files_have_names_where_they_must(void **state) {
    place *p = *state;
    struct stat at_end;
    nameless = false;
    assert_int_equal(put(p, "old", "whole"), HD_OK);
    assert_int_equal(chmod(at(p, "old"), 0604), 0);
    assert_int_equal(write_two(p), HD_OK);
    nameless = true;
    assert_int_equal(stat(at(p, "old"), &at_end), 0);
    assert_int_equal(at_end.st_mode & 07777, 0604);
    assert_true(holds(p, "old", "third") && holds(p, "new", "first"));
    assert_int_equal(entries(p->folder), 2);
}

static void folders_are_made_and_removed(void **state) {
    place *p = *state;
    hd_folders made = {0};
    assert_int_equal(mkdir(at(p, "a"), 0700), 0);
    assert_int_equal(hd_folders_make(p->arena, &p->diag, at(p, "a//b/c/"), &made), HD_OK);
    assert_int_equal(made.count, 2);
    assert_int_equal(access(at(p, "a/b/c"), F_OK), 0);
    hd_folders_remove(&made);
    assert_int_not_equal(access(at(p, "a/b"), F_OK), 0);
    assert_int_equal(access(at(p, "a"), F_OK), 0);
    assert_int_equal(put(p, "file", "x"), HD_OK);
    assert_int_equal(hd_folders_make(p->arena, &p->diag, at(p, "file"), &made), HD_EINPUT);
    assert_int_not_equal(hd_folders_make(p->arena, &p->diag, at(p, "file/x"), &made), HD_OK);
    assert_int_equal(p->messages, 2);
}

#define FOLDER_TEST(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void) {
    const struct CMUnitTest tests[] = {
        FOLDER_TEST(a_link_stays_and_its_file_is_written),
        FOLDER_TEST(a_file_keeps_its_mode),
        FOLDER_TEST(what_is_no_regular_file_is_refused),
        FOLDER_TEST(standard_output_is_not_replaced),
        FOLDER_TEST(a_signal_leaves_no_temporary),
        FOLDER_TEST(files_have_names_where_they_must),
        FOLDER_TEST(folders_are_made_and_removed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/*
 * Files that change together: the process is killed, or a call fails, at every step, and after
 * the change is taken back all files are as they were, or else all are new.
 *
 * The calls that change a file stand here instead of those of the C library, and count.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/place.h"

/* ---- calls that count ---------------------------------------------------------------------- */

static long steps, kill_at, fail_at;

static bool fails_now(void) {
    if (++steps == kill_at)
        kill(getpid(), SIGKILL);
    if (steps == fail_at)
        errno = ENOSPC;
    return steps == fail_at;
}

ssize_t pwrite(int fd, const void *data, size_t size, off_t at) {
    if (steps + 2 == kill_at) /* half of it */
        syscall(SYS_pwrite64, fd, data, size / 2, at);
    return fails_now() || fails_now() ? -1 : syscall(SYS_pwrite64, fd, data, size, at);
}

int ftruncate(int fd, off_t size) {
    return fails_now() ? -1 : (int)syscall(SYS_ftruncate, fd, size);
}

int fsync(int fd) { return fails_now() ? -1 : (int)syscall(SYS_fsync, fd); }

int unlink(const char *path) {
    return fails_now() ? -1 : (int)syscall(SYS_unlinkat, AT_FDCWD, path, 0);
}

/* ---- a folder of files ---------------------------------------------------------------------- */

static void put(const place *p, const char *name, const char *text, mode_t mode) {
    int fd = open(at(p, name), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    const struct timespec times[2] = {{1000, 5}, {2000, 7}};
    assert_int_equal(write(fd, text, strlen(text)), strlen(text));
    assert_int_equal(fchmod(fd, mode), 0);
    assert_int_equal(futimens(fd, times), 0);
    close(fd);
}

static const char old_kernel[] = "the old kernel, which is a long text", old_header[] = "old",
                  old_linked[] = "linked, old", new_kernel[] = "the new one",
                  new_header[] = "the new header, longer than the old one", new_linked[] = "linked",
                  new_made[] = "a header that was not there";

static place make_place(void) {
    place p;
    open_place(&p);
    assert_int_equal(mkdir(at(&p, "sub"), 0700), 0);
    assert_int_equal(mkdir(at(&p, "far"), 0700), 0);
    put(&p, "k.cl", old_kernel, 0640);
    put(&p, "sub/h.h", old_header, 0600);
    assert_int_equal(link(at(&p, "sub/h.h"), at(&p, "twin.h")), 0);
    put(&p, "far/real.h", old_linked, 0444 | 0200);
    assert_int_equal(symlink("../far/real.h", at(&p, "sub/link.h")), 0);
    p.journal = at(&p, "k.cl.heddle-journal");
    return p;
}

static hd_status change(place *p) {
    const hd_output files[] = {{at(p, "k.cl"), new_kernel, strlen(new_kernel)},
                               {at(p, "sub/h.h"), new_header, strlen(new_header)},
                               {at(p, "sub/link.h"), new_linked, strlen(new_linked)},
                               {at(p, "made.h"), new_made, strlen(new_made)}};
    return hd_change_files(p->arena, hear(p), p->journal, files, (const char *[4]){0}, 4);
}

/* The files are the ones that they were, all with their old or all with their new contents, and
 * nothing else is there. */
static void check(const place *p, bool new) {
    struct stat kernel, header, twin, real, link_itself;
    assert_true(holds(p, "k.cl", new ? new_kernel : old_kernel));
    assert_true(holds(p, "sub/h.h", new ? new_header : old_header));
    assert_true(holds(p, "twin.h", new ? new_header : old_header));
    assert_true(holds(p, "far/real.h", new ? new_linked : old_linked));
    assert_true(holds(p, "made.h", new_made) == new);
    assert_int_equal(stat(at(p, "k.cl"), &kernel), 0);
    assert_int_equal(kernel.st_mode & 07777, 0640);
    assert_int_equal(stat(at(p, "sub/h.h"), &header), 0);
    assert_int_equal(stat(at(p, "twin.h"), &twin), 0);
    assert_int_equal(header.st_ino, twin.st_ino);
    assert_int_equal(header.st_mode & 07777, 0600);
    assert_int_equal(stat(at(p, "far/real.h"), &real), 0);
    assert_int_equal(real.st_mode & 07777, 0644);
    assert_int_equal(lstat(at(p, "sub/link.h"), &link_itself), 0);
    assert_true(S_ISLNK(link_itself.st_mode));
    if (!new)
        for (int i = 0; i < 3; i++)
            assert_int_equal((i == 0 ? kernel : i == 1 ? header : real).st_mtim.tv_sec, 2000);
    assert_int_equal(entries(p->folder), 4 + new);
    assert_int_equal(entries(at(p, "sub")), 2);
    assert_int_equal(entries(at(p, "far")), 1);
}

/* Runs `what` in a process that is killed at a step. True: it was. */
static bool killed(place *p, hd_status (*what)(place *p), long step) {
    pid_t child = fork();
    int ended;
    if (!child) {
        steps = 0;
        kill_at = step;
        _exit(what(p));
    }
    assert_int_equal(waitpid(child, &ended, 0), child);
    if (WIFSIGNALED(ended)) {
        assert_int_equal(WTERMSIG(ended), SIGKILL);
        return true;
    }
    assert_int_equal(WEXITSTATUS(ended), HD_OK);
    return false;
}

static hd_status take_back(place *p) {
    hd_taken_back result;
    return hd_take_back(p->arena, hear(p), p->journal, &result);
}

/* ---- the tests --------------------------------------------------------------------------------
 */

static void files_change_together(void **state) {
    (void)state;
    place p = make_place();
    assert_int_equal(change(&p), HD_OK);
    check(&p, true);
    assert_int_equal(change(&p), HD_OK); /* nothing changes */
    check(&p, true);
    assert_int_equal(p.messages, 0);
    close_place(&p);
}

static void a_killed_change_is_taken_back(void **state) {
    (void)state;
    bool more = true;
    long step = 1;
    for (; more; step++) {
        place p = make_place();
        more = killed(&p, change, step);
        bool pending = access(p.journal, F_OK) == 0;
        if (pending)
            assert_int_equal(take_back(&p), HD_OK);
        check(&p, holds(&p, "k.cl", new_kernel));
        assert_true(more || !pending);
        assert_int_equal(p.messages, 0);
        close_place(&p);
    }
    assert_true(step > 20);
}

static void a_change_that_fails_is_taken_back(void **state) {
    (void)state;
    unsigned failures = 0;
    hd_status status = HD_OK;
    long step = 1;
    for (bool more = true; more; step++) {
        place p = make_place();
        steps = 0;
        fail_at = step;
        status = change(&p);
        more = steps >= fail_at;
        fail_at = 0;
        failures += status != HD_OK;
        assert_int_equal(p.messages, status != HD_OK);
        if (access(p.journal, F_OK) == 0) { /* itself could not be removed */
            assert_int_not_equal(status, HD_OK);
            assert_int_equal(take_back(&p), HD_OK);
        }
        check(&p, status == HD_OK);
        close_place(&p);
    }
    assert_true(failures > 10);
}

/* A change that was killed when all files were written: before its last two steps, which take the
 * journal away. */
static place interrupted(void) {
    place p = make_place();
    steps = 0;
    assert_int_equal(change(&p), HD_OK);
    long last = steps - 1;
    close_place(&p);
    p = make_place();
    assert_true(killed(&p, change, last));
    assert_true(holds(&p, "made.h", new_made));
    assert_int_equal(access(p.journal, F_OK), 0);
    return p;
}

static void taking_back_can_be_killed(void **state) {
    (void)state;
    bool more = true;
    long step = 1;
    for (; more; step++) {
        place p = interrupted();
        more = killed(&p, take_back, step);
        if (access(p.journal, F_OK) == 0)
            assert_int_equal(take_back(&p), HD_OK);
        check(&p, false);
        close_place(&p);
    }
    assert_true(step > 10);
}

static void what_changed_since_is_left_alone(void **state) {
    (void)state;
    place p = interrupted();
    put(&p, "sub/h.h", "edited by hand", 0600);
    assert_int_equal(change(&p), HD_EINPUT);
    assert_non_null(strstr(p.text, "k.cl.heddle-journal: this journal is of a change"));
    assert_int_equal(take_back(&p), HD_EINPUT);
    assert_non_null(strstr(p.text, "sub/h.h: this has changed since"));
    assert_true(holds(&p, "k.cl", new_kernel) && holds(&p, "sub/h.h", "edited by hand"));
    put(&p, "sub/h.h", old_header, 0600);
    assert_int_equal(unlink(at(&p, "k.cl")), 0);
    assert_int_equal(take_back(&p), HD_EINPUT);
    assert_non_null(strstr(p.text, "k.cl: this is gone since"));
    put(&p, "k.cl", old_kernel, 0640);
    assert_int_equal(take_back(&p), HD_OK);
    check(&p, false);
    close_place(&p);
}

static void a_foreign_journal_is_not_obeyed(void **state) {
    (void)state;
    place p = interrupted();
    char *text;
    size_t length;
    assert_int_equal(hd_read_file(p.arena, &p.diag, p.journal, &text, &length), HD_OK);
    assert_int_equal(unlink(p.journal), 0);
    put(&p, "other", "", 0600); /* the number of the old file may be given again */
    assert_int_equal(hd_write_file(&p.diag, p.journal, text, length), HD_OK);
    assert_int_equal(take_back(&p), HD_EINPUT);
    assert_non_null(strstr(p.text, "not written here"));
    assert_true(holds(&p, "k.cl", new_kernel));
    assert_int_equal(hd_write_file(&p.diag, p.journal, "my notes\n", 9), HD_OK);
    assert_int_equal(take_back(&p), HD_EINPUT);
    assert_non_null(strstr(p.text, "no journal of heddle's"));
    assert_true(holds(&p, "k.cl.heddle-journal", "my notes\n"));
    close_place(&p);
}

static void an_edit_in_the_meantime_is_not_lost(void **state) {
    (void)state;
    place p = make_place();
    hear(&p);
    const hd_output files[] = {{at(&p, "k.cl"), new_kernel, strlen(new_kernel)},
                               {at(&p, "sub/h.h"), new_header, strlen(new_header)}};
    const char *before[] = {old_kernel, "what was read"};
    assert_int_equal(hd_change_files(p.arena, &p.diag, p.journal, files, before, 2), HD_EINPUT);
    assert_non_null(strstr(p.text, "sub/h.h: this has changed since it was read"));
    assert_int_equal(p.messages, 1);
    check(&p, false);
    before[1] = old_header;
    assert_int_equal(hd_change_files(p.arena, &p.diag, p.journal, files, before, 2), HD_OK);
    assert_true(holds(&p, "k.cl", new_kernel) && holds(&p, "sub/h.h", new_header));
    close_place(&p);
}

/* In a folder that all write to, anybody could have files of ours written by it. */
static void a_journal_of_another_user_is_not_obeyed(void **state) {
    (void)state;
    place p = interrupted();
    if (chown(p.journal, 12345, (gid_t)-1) == 0) { /* it takes root to show this */
        assert_int_equal(take_back(&p), HD_EINPUT);
        assert_non_null(strstr(p.text, "another user"));
        assert_true(holds(&p, "k.cl", new_kernel));
        assert_int_equal(chown(p.journal, geteuid(), (gid_t)-1), 0);
    }
    assert_int_equal(take_back(&p), HD_OK);
    check(&p, false);
    close_place(&p);
}

static void a_change_under_way_is_left_alone(void **state) {
    (void)state;
    place p = interrupted();
    int fd = open(p.journal, O_RDONLY);
    assert_int_equal(flock(fd, LOCK_EX), 0);
    assert_int_equal(take_back(&p), HD_EINPUT);
    assert_non_null(strstr(p.text, "another heddle is changing"));
    close(fd);
    assert_int_equal(take_back(&p), HD_OK);
    check(&p, false);
    close_place(&p);
}

static void two_names_of_one_file_must_agree(void **state) {
    (void)state;
    place p = make_place();
    hear(&p);
    hd_output files[] = {{at(&p, "sub/h.h"), "one", 3}, {at(&p, "twin.h"), "two", 3}};
    assert_int_equal(hd_change_files(p.arena, &p.diag, p.journal, files, (const char *[2]){0}, 2),
                     HD_EINPUT);
    assert_int_equal(p.messages, 1);
    check(&p, false);
    files[1].data = "one";
    assert_int_equal(hd_change_files(p.arena, &p.diag, p.journal, files, (const char *[2]){0}, 2),
                     HD_OK);
    assert_true(holds(&p, "twin.h", "one"));
    close_place(&p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_change_together),
        cmocka_unit_test(a_killed_change_is_taken_back),
        cmocka_unit_test(a_change_that_fails_is_taken_back),
        cmocka_unit_test(taking_back_can_be_killed),
        cmocka_unit_test(what_changed_since_is_left_alone),
        cmocka_unit_test(a_foreign_journal_is_not_obeyed),
        cmocka_unit_test(an_edit_in_the_meantime_is_not_lost),
        cmocka_unit_test(a_journal_of_another_user_is_not_obeyed),
        cmocka_unit_test(a_change_under_way_is_left_alone),
        cmocka_unit_test(two_names_of_one_file_must_agree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

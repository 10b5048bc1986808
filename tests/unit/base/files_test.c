#include "base/files.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "unit/test.h"

static char folder[] = "/tmp/klingel-files-XXXXXX";

static const char *in_folder(const char *name)
{
    static char path[2][256];
    static int  k;
    k = 1 - k;
    snprintf(path[k], sizeof path[k], "%s/%s", folder, name);
    return path[k];
}

static void write_text(const char *name, const char *text)
{
    FILE *f = fopen(in_folder(name), "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

static void expect_text(const char *name, const char *text)
{
    char  got[64] = "";
    FILE *f       = kl_file_open(in_folder(name));
    assert_non_null(f);
    assert_int_equal(fread(got, 1, sizeof got - 1, f), strlen(text));
    assert_string_equal(got, text);
    fclose(f);
}

static void only_ordinary_files_are_read(void **unused)
{
    (void)unused;
    write_text("a", "text");
    expect_text("a", "text");
    assert_int_equal(mkfifo(in_folder("pipe"), 0600), 0);
    assert_null(kl_file_open(in_folder("pipe"))); /* comes back at once */
    assert_int_equal(errno, ESPIPE);
    assert_null(kl_file_open("/dev/zero"));
    assert_int_equal(errno, ESPIPE);
    assert_null(kl_file_open(folder));
    assert_int_equal(errno, EISDIR);
    assert_null(kl_file_open(in_folder("none")));
    assert_int_equal(errno, ENOENT);
    assert_non_null(strstr(kl_file_reason(ENOENT), "check the name"));
}

static void a_file_appears_whole_or_not_at_all(void **unused)
{
    (void)unused;
    kl_new_file f;
    write_text("b", "old");
    assert_true(kl_new_file_open(&f, in_folder("b")));
    fputs("new", f.stream);
    fflush(f.stream);
    expect_text("b", "old");
    assert_true(kl_new_file_close(&f));
    expect_text("b", "new");
    assert_true(kl_new_file_open(&f, in_folder("b")));
    fputs("half", f.stream);
    kl_new_file_discard(&f);
    expect_text("b", "new");
    assert_int_not_equal(access(f.part, F_OK), 0);
    assert_false(kl_new_file_open(&f, in_folder("no/such/folder")));
    assert_false(kl_new_file_open(&f, folder));
    assert_int_equal(errno, EISDIR);
}

/* /dev/full takes a byte and says that the disk is full */
static void a_full_disk_is_noticed(void **unused)
{
    (void)unused;
    kl_new_file f;
    if (access("/dev/full", W_OK) != 0) skip();
    assert_true(kl_new_file_open(&f, "/dev/full"));
    fputs("text", f.stream);
    assert_false(kl_new_file_close(&f));
    assert_int_equal(errno, ENOSPC);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_ordinary_files_are_read),
        cmocka_unit_test(a_file_appears_whole_or_not_at_all),
        cmocka_unit_test(a_full_disk_is_noticed),
    };
    if (!mkdtemp(folder)) return 1;
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    for (const char *const *name = (const char *const[]){"a", "b", "pipe", NULL}; *name; name++)
        unlink(in_folder(*name));
    rmdir(folder);
    return failed;
}

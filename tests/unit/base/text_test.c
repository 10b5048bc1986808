#include "base/text.h"

#include "unit/test.h"

static void text_grows_and_stays_ended(void **unused)
{
    (void)unused;
    kl_text t = {0};
    for (int i = 0; i < 5000; i++) kl_text_add(&t, "%d,", i % 10);
    assert_false(t.failed);
    assert_int_equal(t.n, 10000);
    assert_int_equal(t.data[t.n], '\0');
    assert_memory_equal(t.data + 9990, "5,6,7,8,9,", 10);
    kl_text_free(&t);
}

static void json_escapes_what_would_end_a_string(void **unused)
{
    (void)unused;
    kl_text t = {0};
    kl_text_json(&t, "a\"b\\c\n\x01 \xc3\xa4");
    assert_string_equal(t.data, "\"a\\\"b\\\\c\\n\\u0001 \xc3\xa4\"");
    kl_text_free(&t);
}

static void html_keeps_markup_out(void **unused)
{
    (void)unused;
    kl_text t = {0};
    kl_text_html(&t, "<b a='1'>\"x\" & y</b>");
    assert_string_equal(t.data, "&lt;b a=&#39;1&#39;&gt;&quot;x&quot; &amp; y&lt;/b&gt;");
    kl_text_free(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_grows_and_stays_ended),
        cmocka_unit_test(json_escapes_what_would_end_a_string),
        cmocka_unit_test(html_keeps_markup_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

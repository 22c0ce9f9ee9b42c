/* The notation: what parses, what is refused and where, normal form. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "oracle/normal_layout.h"
#include "random_record.h"

typedef struct heard {
    int count;
    unsigned column;
    char text[512];
} heard;

static void hear(const hd_message *message, void *user) {
    heard *h = user;
    h->count++;
    h->column = message->place.column;
    assert_string_equal(message->place.file, "<layout>");
    snprintf(h->text, sizeof h->text, "%s", message->text);
}

static hd_field body_fields[] = {
    {.name = "x", .size = 4, .align = 4, .count = 1},
    {.name = "y", .size = 4, .align = 4, .count = 1},
    {.name = "v", .size = 12, .align = 4, .count = 3},
    {.name = "soa", .size = 8, .align = 8, .count = 1},
};
static hd_record body = {
    .name = "body", .field_count = 4, .fields = body_fields, .size = 32, .align = 8};
static hd_field foreign_fields[] = {
    {.name = "gr\xc3\xb6\xc3\x9f"
             "e",
     .size = 4,
     .align = 4,
     .count = 1},
    {.name = "b$", .size = 4, .align = 4, .count = 1},
};
static hd_record foreign = {
    .name = "foreign", .field_count = 2, .fields = foreign_fields, .size = 8, .align = 4};
static hd_field only_field = {.name = "x", .size = 4, .align = 4, .count = 1};
static hd_record single = {
    .name = "single", .field_count = 1, .fields = &only_field, .size = 4, .align = 4};

/* `d` and `pos` taken apart. */
static hd_field apart_fields[] = {
    {.name = "d[0]", .size = 4, .align = 4, .count = 1},
    {.name = "d[1]", .size = 4, .align = 4, .count = 1},
    {.name = "da", .size = 4, .align = 4, .count = 1},
    {.name = "pos.x", .size = 4, .align = 4, .count = 1},
    {.name = "pos.v[0]", .size = 4, .align = 4, .count = 1},
    {.name = "pos.v[1]", .size = 4, .align = 4, .count = 1},
};
static hd_record apart = {
    .name = "apart", .field_count = 6, .fields = apart_fields, .size = 24, .align = 4};

static hd_layout *parsed(hd_arena *arena, const hd_record *record, const char *text) {
    heard h = {0};
    hd_diag diag = {hear, &h};
    hd_layout *layout = NULL;
    if (hd_layout_parse(arena, &diag, record, text, &layout) != HD_OK)
        fail_msg("%s: %s", text, h.text);
    assert_int_equal(h.count, 0);
    assert_int_equal(hd_layout_check(&diag, record, layout), HD_OK);
    return layout;
}

static void check_prints(const hd_record *record, const char *text, const char *shortest,
                         const char *written_out) {
    hd_arena *arena = hd_arena_new();
    hd_layout *layout = parsed(arena, record, text);
    assert_string_equal(hd_layout_print(arena, record, layout), shortest);
    assert_string_equal(hd_layout_print_long(arena, record, layout), written_out);
    hd_arena_free(arena);
}

static void every_form_parses_and_prints(void **state) {
    (void)state;
    check_prints(&body, "aos", "aos", "{x,y,v,soa}");
    check_prints(&body, " soa ", "soa", "{x,y,v,soa}:soa");
    check_prints(&body, "da", "da", "{x}{y}{v}{soa}/da");
    check_prints(&body, "aosoa:16", "aosoa:16", "{x,y,v,soa}:16");
    check_prints(&body, "aosoa : soa", "soa", "{x,y,v,soa}:soa");
    check_prints(&body, "aosoa:1", "aos", "{x,y,v,soa}");
    check_prints(&body, "{x,y,v,soa}:aos", "aos", "{x,y,v,soa}");
    check_prints(&body, "{y,x}{soa,v}:32", "{y,x}{soa,v}:32", "{y,x}{soa,v}:32");
    check_prints(&body, "\t{ x , y }\n{ soa,v } : soa / da", "{x,y}{soa,v}:soa/da",
                 "{x,y}{soa,v}:soa/da");
    check_prints(&body, "{x}{y}{v}{soa}/da", "da", "{x}{y}{v}{soa}/da");
    check_prints(&body, "{x}{y}:2{v}{soa}/da", "{x}{y}:2{v}{soa}/da", "{x}{y}:2{v}{soa}/da");
    check_prints(&body, "{x}{y}{v}{soa}", "{x}{y}{v}{soa}", "{x}{y}{v}{soa}");
    check_prints(&body, "{x,y,v,soa}/da", "{x,y,v,soa}/da", "{x,y,v,soa}/da");
    check_prints(&foreign,
                 "{gr\xc3\xb6\xc3\x9f"
                 "e,b$}",
                 "aos",
                 "{gr\xc3\xb6\xc3\x9f"
                 "e,b$}");
    check_prints(&foreign,
                 "{gr\xc3\xb6\xc3\x9f"
                 "e}{b$}:4",
                 "{gr\xc3\xb6\xc3\x9f"
                 "e}{b$}:4",
                 "{gr\xc3\xb6\xc3\x9f"
                 "e}{b$}:4");
    check_prints(&single, "{x}/da", "da", "{x}/da");
    check_prints(&single, "{x}:4", "{x}:4", "{x}:4");
    check_prints(&body, "aosoa:9223372036854775808", "aosoa:9223372036854775808",
                 "{x,y,v,soa}:9223372036854775808");
}

/* `_` pads, unless it is a field. */
static void padding_is_of_the_notation(void **state) {
    (void)state;
    static hd_field fields[] = {{.name = "x", .size = 4, .align = 4, .count = 1},
                                {.name = "_", .size = 4, .align = 4, .count = 1},
                                {.name = "c", .size = 1, .align = 1, .count = 1}};
    static const hd_record named = {
        .name = "named", .field_count = 3, .fields = fields, .size = 12, .align = 4};
    check_prints(&body, "{v,_}{x,y}{soa}", "{v,_}{x,y}{soa}", "{v,_}{x,y}{soa}");
    check_prints(&body, "{ v , _ } : 1 {y,x}{soa}/da", "{v,_}{y,x}{soa}/da", "{v,_}{y,x}{soa}/da");
    check_prints(&named, "{x,_}{c}", "{x,_}{c}", "{x,_}{c}");
    check_prints(&named, "{_,x,c}", "{_,x,c}", "{_,x,c}");
    hd_field triple[] = {fields[0], fields[0], fields[0]};
    triple[1].name = "y";
    triple[2].name = "z";
    hd_record vector = {.name = "v", .field_count = 3, .fields = triple, .align = 4};
    hd_record_lay_out(&vector);
    check_prints(&vector, "{x,y,z,_}", "{x,y,z,_}", "{x,y,z,_}");
    hd_arena *arena = hd_arena_new();
    assert_false(
        hd_layout_equal(parsed(arena, &vector, "{x,y,z,_}"), hd_layout_aos(arena, &vector)));
    hd_arena_free(arena);
}

static void check_refused(const char *text, unsigned column, const char *says) {
    hd_arena *arena = hd_arena_new();
    heard h = {0};
    hd_diag diag = {hear, &h};
    hd_layout *layout = NULL;
    assert_int_equal(hd_layout_parse(arena, &diag, &body, text, &layout), HD_EINPUT);
    assert_null(layout);
    assert_int_equal(h.count, 1);
    if (!strstr(h.text, says) || h.column != column)
        fail_msg("%s: at column %u: %s", text, h.column, h.text);
    hd_arena_free(arena);
}

/* All parts of a field may be named at once. */
static void parts_go_by_their_fields_name(void **state) {
    (void)state;
    check_prints(&apart, "{d}{da}{pos}", "{d}{da}{pos}", "{d}{da}{pos}");
    check_prints(&apart, "{d[0],d[1],da}{pos.x,pos.v[0],pos.v[1]}:4", "{d,da}{pos}:4",
                 "{d,da}{pos}:4");
    check_prints(&apart, "{d[0],da}{d[1]}{pos.x}{pos.v[0],pos.v[1]}",
                 "{d[0],da}{d[1]}{pos.x}{pos.v[0],pos.v[1]}",
                 "{d[0],da}{d[1]}{pos.x}{pos.v[0],pos.v[1]}");
    check_prints(&apart, "{d[1],d[0]}{da,pos}", "{d[1],d[0]}{da,pos}", "{d[1],d[0]}{da,pos}");
    check_prints(&apart, "aos", "aos", "{d,da,pos}");
}

static void errors_name_the_place_and_the_mend(void **state) {
    (void)state;
    check_refused("", 1, "expected a layout");
    check_refused("sao", 1, "expected a layout");
    check_refused("aos/da", 4, "expected the end of the layout, found '/'");
    check_refused("aosoa", 6, "expected ':' and a tile");
    check_refused("aosoa:3", 7, "'3' is no tile; write a power of two");
    check_refused("{x,y,v,soa}:0", 13, "'0' is no tile");
    check_refused("{x,y,v,soa}: 18446744073709551616", 14, "is no tile");
    check_refused("{x,y,v,soa}:18446744073709551615", 13, "is no tile");
    check_refused("{x,y,v,soa}:soaa", 13, "'soaa' is no tile");
    check_refused("{x,y,v,soa}:", 13, "the end is no tile");
    check_refused("{x,y,v,soa}:4x", 13, "'4x' is no tile");
    check_refused("{x,y}{w,v,soa}", 7, "no field 'w'; its fields are x, y, v, soa");
    check_refused("{x,y}{v}", 9, "field 'soa' of 'body' stands in no cluster; add it to one");
    check_refused("{x,y}{v}/da", 9, "field 'soa' of 'body' stands in no cluster");
    check_refused("{x,y}{v,x}", 9, "field 'x' stands in the layout twice");
    check_refused("{x,y}{v[1],soa}", 8, "field 'v' moves whole");
    check_refused("{x,y}{v.s,soa}", 8, "field 'v' moves whole");
    check_refused("{}{x,y,v,soa}", 2, "expected the name of a field, found '}'");
    check_refused("{x,}", 4, "expected the name of a field");
    check_refused("{x y}", 4, "expected ',' or '}', found 'y'");
    check_refused("{x", 3, "expected ',' or '}', found the end");
    check_refused("{x}{y}{v}{soa} da", 16, "expected '{', '/da' or the end, found 'da'");
    check_refused("{x}{y}{v}{soa}/", 16, "expected 'da' after '/'");
    check_refused("{x}{y}{v}{soa}/dada", 16, "expected 'da' after '/', found 'dada'");
    check_refused("{x}{y}{v}{soa}/da,", 18, "expected the end of the layout, found ','");
    check_refused("{x\xc3\xa4}", 2, "no field 'x\xc3\xa4'");
    check_refused("{x;}", 3, "found ';'");
    check_refused("{_,x}", 2, "no field '_'");
    check_refused("{v,_,_}{x,y}{soa}", 5, "expected '}' after '_', found ','");
    check_refused("{v,_,x}", 5, "expected '}' after '_'");
    check_refused("{v, _}:4{x,y}{soa}", 5,
                  "'_' pads the elements of a cluster of tile 1; drop it, or");
    check_refused("{v,_}:soa{x,y}{soa}", 4,
                  "drop it, or the tile of the cluster that starts with 'v'");
    check_refused("{v}{x,y,_}{soa}", 9,
                  "'_' has nothing to pad: the fields of the cluster that starts "
                  "with 'x' take 8 bytes, a power of two");
    check_refused("{y,v,_}{x}{soa}", 6, "'_' has nothing to pad");
    check_refused("{x,y,v,_}{soa}", 8,
                  "'_' pads elements to at most 16 bytes, and the fields of the "
                  "cluster that starts with 'x' take 20");
}

/* Cut, swapped and overwritten notation is refused or parses; it never crashes. */
static void damaged_text_never_crashes(void **state) {
    (void)state;
    const char *good = "{x,y}:16{soa}/da aosoa:8 {v,_}";
    const char signs[] = "{}:,/ 0123456789xyvsoadw_\n\x80\xff";
    dice d = {77};
    for (int round = 0; round < 3000; round++) {
        hd_arena *arena = hd_arena_new();
        char text[64];
        snprintf(text, 1 + roll(&d, 31), "%s", good);
        size_t length = strlen(text);
        for (uint32_t change = roll(&d, 5); length && change; change--)
            text[roll(&d, (uint32_t)length)] = signs[roll(&d, sizeof signs - 1)];
        heard h = {0};
        hd_diag diag = {hear, &h};
        hd_layout *layout = NULL;
        hd_status status = hd_layout_parse(arena, &diag, &body, text, &layout);
        assert_int_equal(h.count, status != HD_OK);
        assert_int_equal(layout != NULL, status == HD_OK);
        hd_arena_free(arena);
    }
}

static void printing_and_parsing_are_inverse(void **state) {
    (void)state;
    dice d = {2024};
    for (int round = 0; round < 500; round++) {
        hd_arena *arena = hd_arena_new();
        hd_record *record = random_record(arena, &d, round % 10 ? 12 : HD_MAX_FIELDS, 1);
        hd_layout *layout = random_layout(arena, &d, record);
        const char *text = hd_layout_print(arena, record, layout);
        assert_true(hd_layout_equal(layout, parsed(arena, record, text)));
        assert_string_equal(hd_layout_print(arena, record, parsed(arena, record, text)), text);
        const char *written_out = hd_layout_print_long(arena, record, layout);
        assert_true(hd_layout_equal(layout, parsed(arena, record, written_out)));
        assert_true(strlen(text) <= strlen(written_out));

        hd_layout *normal = normal_layout(arena, layout);
        assert_true(hd_layout_equal(normal, normal_layout(arena, normal)));
        text = hd_layout_print(arena, record, normal);
        assert_true(hd_layout_equal(normal, parsed(arena, record, text)));
        hd_arena_free(arena);
    }
}

static void check_normal(const hd_record *record, const char *text, const char *normal) {
    hd_arena *arena = hd_arena_new();
    hd_layout *layout = parsed(arena, record, text);
    layout = normal_layout(arena, layout);
    assert_string_equal(hd_layout_print(arena, record, layout), normal);
    hd_arena_free(arena);
}

static void normal_form_is_one_of_each_family(void **state) {
    (void)state;
    check_normal(&body, "{v,soa}:4{y}:16{x}", "{x}{y}{v,soa}:4");
    check_normal(&body, "{v,soa}:soa{y}{x}:soa", "soa");
    check_normal(&body, "{soa,v,y,x}:8", "aosoa:8");
    check_normal(&body, "{soa,v,y,x}/da", "aos");
    check_normal(&body, "{soa}{v}{y}:2{x}", "soa");
    check_normal(&body, "{soa}{v}{y}:2{x}/da", "da");
    check_normal(&single, "soa", "aos");
    check_normal(&single, "da", "aos");
}

static void masks_give_normal_form(void **state) {
    (void)state;
    hd_arena *arena = hd_arena_new();
    uint64_t masks[] = {0xa, 0x1, 0x4}, tiles[] = {32, 64, HD_TILE_SOA};
    hd_layout *layout = hd_layout_of_masks(arena, masks, tiles, 3, true);
    assert_string_equal(hd_layout_print(arena, &body, layout), "{x}{y,soa}:32{v}/da");
    layout = hd_layout_of_masks(arena, masks, NULL, 3, false);
    assert_string_equal(hd_layout_print(arena, &body, layout), "{x}{y,soa}{v}");
    hd_arena_free(arena);
}

static void check_reports(const hd_layout *layout, const char *says) {
    heard h = {0};
    hd_diag diag = {hear, &h};
    assert_int_equal(hd_layout_check(&diag, &body, layout), HD_EINPUT);
    assert_int_equal(h.count, 1);
    if (!strstr(h.text, says))
        fail_msg("%s", h.text);
}

static void check_finds_every_fault(void **state) {
    (void)state;
    hd_cluster c[2] = {{.mask = 5, .order = {0, 2}, .count = 2, .tile = 1},
                       {.mask = 10, .order = {3, 1}, .count = 2, .tile = HD_TILE_SOA}};
    hd_layout layout = {c, 2, false};
    assert_int_equal(hd_layout_check(NULL, &body, &layout), HD_OK);
    c[0].tile = 3;
    check_reports(&layout, "starts with 'x' has tile 3");
    c[0].tile = 0;
    check_reports(&layout, "has tile 0");
    c[0].tile = 4;
    c[0].order[0] = 3;
    check_reports(&layout, "the mask of the cluster");
    c[0].mask = 12;
    check_reports(&layout, "field 'soa' of 'body' stands in the layout twice");
    c[0].order[0] = 4;
    check_reports(&layout, "field number 4");
    c[0].count = 0;
    check_reports(&layout, "a cluster has 0 fields");
    c[0] = (hd_cluster){.mask = 4, .order = {2}, .count = 1, .tile = 2, .padded = true};
    check_reports(&layout, "'_' pads the elements of a cluster of tile 1");
    layout = (hd_layout){c + 1, 1, false};
    check_reports(&layout, "field 'x' of 'body' stands in no cluster");
    layout.count = 0;
    check_reports(&layout, "a layout has 0 clusters");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_form_parses_and_prints),
        cmocka_unit_test(padding_is_of_the_notation),
        cmocka_unit_test(parts_go_by_their_fields_name),
        cmocka_unit_test(errors_name_the_place_and_the_mend),
        cmocka_unit_test(damaged_text_never_crashes),
        cmocka_unit_test(printing_and_parsing_are_inverse),
        cmocka_unit_test(normal_form_is_one_of_each_family),
        cmocka_unit_test(masks_give_normal_form),
        cmocka_unit_test(check_finds_every_fault),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Text and JSON from descriptions of results. */
#include <math.h>

#include "cli/report/report_result.h"
#include "cli/report/plot.h"

/* Members that stand in the place of one without a name of its own; and the end of a table. */
static bool is_group(const hd_member *m) { return m->of && !m->key && !m->title; }
static bool is_end(const hd_member *m) { return !m->key && !m->title && !m->of; }

/* What the getters of the rows that `value` is see; `row` is the one that has them. */
static hd_view inner_view(const hd_view *view, const void *row, const hd_value *value) {
    return (hd_view){view->arena, value->context ? value->context : view->context, row};
}

/* ---- text ---------------------------------------------------------------------------------- */

static const char *show_real(hd_arena *arena, hd_unit unit, double value) {
    switch (unit) {
    case HD_COUNT: return hd_show_count(arena, value);
    case HD_SECONDS: return hd_show_seconds(arena, value);
    case HD_JOULES: return hd_show_small(arena, value, "J");
    case HD_WATTS: return hd_show_small(arena, value, "W");
    case HD_SHARE: return hd_show_share(arena, value);
    case HD_RATIO: return hd_show_ratio(arena, value);
    default: break;
    }
    if (!isfinite(value))
        return "-";
    return unit == HD_DIGITS     ? hd_format(arena, "%.3g", value)
           : unit == HD_DECIMAL  ? hd_format(arena, "%.1f", value)
           : unit == HD_DECIMALS ? hd_format(arena, "%.3f", value)
                                 : hd_format(arena, "%g", value);
}

static const char *show_whole(hd_arena *arena, hd_unit unit, uint64_t value) {
    switch (unit) {
    case HD_PLAIN:
    case HD_PLAIN_WORD:
    case HD_EXACT: return hd_show_exact(arena, value);
    case HD_BYTES: return hd_show_bytes(arena, value);
    case HD_ADDRESS: return hd_format(arena, "0x%llx", (unsigned long long)value);
    default: return show_real(arena, unit, (double)value);
    }
}

static bool is_number(hd_unit unit) { return unit > HD_PLAIN_WORD; }

const char *hd_show_value(hd_arena *arena, hd_unit unit, hd_value value) {
    switch (value.kind) {
    case HD_BOOL: return value.yes ? "yes" : "no";
    case HD_U32:
    case HD_U64: return show_whole(arena, unit, value.whole);
    case HD_I32:
    case HD_I64:
        return value.integer < 0 ? hd_format(arena, "%lld", (long long)value.integer)
                                 : show_whole(arena, unit, (uint64_t)value.integer);
    case HD_REAL: return show_real(arena, unit, value.real);
    case HD_LIST: { /* "3.28M", or "(0, 3.28M)" of several */
        hd_str text = {.arena = arena};
        for (size_t i = 0; i < value.count; i++)
            hd_str_printf(&text, "%s%s",
                          i                 ? ", "
                          : value.count > 1 ? "("
                                            : "",
                          hd_show_value(arena, unit, hd_item_at(&value, i)));
        hd_str_add(&text, value.count > 1 ? ")" : "");
        return hd_str_text(&text);
    }
    case HD_TEXT:
        if (value.text)
            return value.text;
        break;
    default: break;
    }
    return is_number(unit) ? "-" : "";
}

/* A column: a member, or one of a row of those that a member has, which are reached through
 * `outer`. */
typedef struct column {
    const hd_member *member;
    const struct column *group; /* the member in whose place it stands; NULL: it is the row's */
    size_t index;               /* of the group's row, where it has several */
} column;

typedef struct column_list {
    hd_arena *arena;
    hd_vec(const column *) all;
} column_list;

/* The row that the members of a group are of. */
static const void *row_of(const column *group, const hd_view *view, const void *row,
                          hd_view *inner) {
    *inner = *view;
    if (!group)
        return row;
    hd_view outer;
    const void *parent = row_of(group->group, view, row, &outer);
    hd_value value = hd_member_value(group->member, &outer, parent);
    *inner = inner_view(&outer, parent, &value);
    return value.kind == HD_ROWS && group->index < value.count ? hd_row_at(&value, group->index)
           : value.kind == HD_ROW                              ? value.data
                                                               : NULL;
}

static hd_value value_of(const column *c, const hd_view *view, const void *row) {
    hd_view inner;
    const void *own = row_of(c->group, view, row, &inner);
    return own ? hd_member_value(c->member, &inner, own) : hd_null();
}

static void add_columns(column_list *list, const hd_member *members, const column *group,
                        const hd_view *view, const void *row) {
    for (const hd_member *m = members; !is_end(m); m++) {
        if (m->of ? m->key && !m->title : !m->title)
            continue;
        hd_value value = m->of && row ? value_of(&(column){m, group, 0}, view, row) : hd_null();
        size_t count = value.kind == HD_ROWS ? value.count : 1;
        for (size_t i = 0; i < count; i++) {
            column *c = hd_new(list->arena, column);
            *c = (column){m, group, i};
            if (m->of)
                add_columns(list, m->of, c, view, row);
            else
                hd_push(list->arena, &list->all, c);
        }
    }
}

/* The title, with the name of its group's row for "%s". */
static const char *title_of(const column *c, const hd_view *view, const void *row) {
    const char *place = strstr(c->member->title, "%s");
    if (!place || !c->group)
        return c->member->title;
    const column name = {c->group->member->of, c->group, 0};
    return hd_format(view->arena, "%.*s%s%s", (int)(place - c->member->title), c->member->title,
                     hd_show_value(view->arena, HD_PLAIN, value_of(&name, view, row)), place + 2);
}

/* Rows as they stand in a table. */
typedef struct cell_grid {
    report_column *heads;
    const char **cells; /* [row][column] */
    uint32_t columns;
} cell_grid;

static cell_grid cells_of(const hd_view *outer, const hd_member *members, const hd_value *rows) {
    const hd_view own = inner_view(outer, outer->parent, rows), *view = &own;
    column_list columns = {.arena = view->arena};
    const void *first = rows->count ? hd_row_at(rows, 0) : NULL;
    add_columns(&columns, members, NULL, view, first);
    size_t count = columns.all.count;
    cell_grid grid = {hd_new_array(view->arena, report_column, count),
                      hd_new_array(view->arena, const char *, rows->count *count), (uint32_t)count};
    for (size_t c = 0; c < count; c++) {
        const column *from = columns.all.data[c];
        hd_kind kind = first ? value_of(from, view, first).kind : HD_TEXT;
        bool is_text = from->member->unit == HD_PLAIN && (kind == HD_TEXT || kind == HD_NULL);
        grid.heads[c] =
            (report_column){title_of(from, view, first), is_text ? REPORT_LEFT : REPORT_RIGHT,
                            kind == HD_LIST || !is_number(from->member->unit)};
    }
    for (size_t r = 0; r < rows->count; r++)
        for (size_t c = 0; c < count; c++)
            grid.cells[r * count + c] =
                hd_show_value(view->arena, columns.all.data[c]->member->unit,
                              value_of(columns.all.data[c], view, hd_row_at(rows, r)));
    return grid;
}

void hd_show_rows(const hd_view *view, const hd_member *members, hd_value rows, hd_style style,
                  hd_str *out) {
    const cell_grid grid = cells_of(view, members, &rows);
    report_table *table = report_table_new(view->arena, grid.heads, grid.columns);
    report_table_set_width(table, style.width);
    for (size_t r = 0; r < rows.count; r++)
        report_table_row(table, &grid.cells[r * grid.columns]);
    report_table_print(table, out, style.bold);
}

void hd_html_rows(const hd_view *view, const hd_member *members, hd_value rows, hd_str *out) {
    const cell_grid grid = cells_of(view, members, &rows);
    hd_str_add(out, "<table>\n");
    for (size_t r = 0; r <= rows.count; r++) {
        hd_str_add(out, "<tr>");
        for (uint32_t c = 0; c < grid.columns; c++) {
            const char *tag = r ? "td" : "th";
            const char *text = r ? grid.cells[(r - 1) * grid.columns + c] : grid.heads[c].title;
            hd_str_printf(out, "<%s%s>%s</%s>", tag,
                          grid.heads[c].align == REPORT_RIGHT ? " class=\"right\"" : "",
                          hd_svg_escape(view->arena, text), tag);
        }
        hd_str_add(out, "</tr>\n");
    }
    hd_str_add(out, "</table>\n");
}

void hd_show_row(const hd_view *view, const hd_member *members, const void *row, hd_str *out) {
    column_list columns = {.arena = view->arena};
    add_columns(&columns, members, NULL, view, row);
    for (size_t c = 0; c < columns.all.count; c++) {
        const column *from = columns.all.data[c];
        hd_value value = value_of(from, view, row);
        if (value.kind == HD_ABSENT || (value.kind == HD_TEXT && !value.text))
            continue;
        hd_str_printf(out, "  %-22s %s\n", title_of(from, view, row),
                      hd_show_value(view->arena, from->member->unit, value));
    }
}

/* ---- JSON ---------------------------------------------------------------------------------- */

json_t *hd_json_value(const hd_view *outer, const hd_member *of, hd_value value) {
    const hd_view own = inner_view(outer, outer->parent, &value), *view = &own;
    switch (value.kind) {
    case HD_BOOL: return json_boolean(value.yes);
    case HD_U32:
    case HD_U64: return hd_json_integer(value.whole);
    case HD_I32:
    case HD_I64: return json_integer(value.integer);
    case HD_REAL: return hd_json_number(value.real);
    case HD_TEXT: return hd_json_text(value.text);
    case HD_ROW: return value.data ? hd_json_row(view, of, value.data) : json_null();
    case HD_DOCUMENT: return value.object;
    case HD_ROWS:
    case HD_LIST: {
        json_t *array = json_array();
        for (size_t i = 0; i < value.count; i++)
            json_array_append_new(array, value.kind == HD_ROWS
                                             ? hd_json_row(view, of, hd_row_at(&value, i))
                                             : hd_json_value(view, NULL, hd_item_at(&value, i)));
        return array;
    }
    default: return json_null();
    }
}

void hd_json_add_row(json_t *object, const hd_view *view, const hd_member *members,
                     const void *row) {
    for (const hd_member *m = members; !is_end(m); m++) {
        if (!m->key && !is_group(m))
            continue;
        hd_value value = hd_member_value(m, view, row);
        const hd_view inner = inner_view(view, row, &value);
        if (is_group(m)) {
            if (value.kind == HD_ROW && value.data)
                hd_json_add_row(object, &inner, m->of, value.data);
            continue;
        }
        json_t *json = value.kind == HD_ABSENT ? NULL : hd_json_value(&inner, m->of, value);
        if (json && m->optional && json_is_null(json))
            json_decref(json);
        else if (json)
            json_object_set_new(object, m->key, json);
    }
}

json_t *hd_json_row(const hd_view *view, const hd_member *members, const void *row) {
    json_t *object = json_object();
    hd_json_add_row(object, view, members, row);
    return object;
}

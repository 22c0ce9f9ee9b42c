/* Values, found by their descriptions. */
#include "base/result.h"

/* The value of a kind that lies at `at`. */
static hd_value read_value(hd_kind kind, const void *at) {
    switch (kind) {
    case HD_BOOL: return hd_bool(*(const bool *)at);
    case HD_U32: return hd_whole(*(const uint32_t *)at);
    case HD_U64: return hd_whole(*(const uint64_t *)at);
    case HD_I32: return hd_integer(*(const int32_t *)at);
    case HD_I64: return hd_integer(*(const int64_t *)at);
    case HD_REAL: return hd_real(*(const double *)at);
    case HD_TEXT: return hd_text(*(const char *const *)at);
    case HD_MADE: return *(const hd_value *)at;
    default: return hd_null();
    }
}

/* Whether the part of the struct that decides it lets the member have a value. */
static bool has_value(const hd_member *member, const void *row) {
    bool any = !member->flag_bytes;
    for (uint32_t i = 0; i < member->flag_bytes; i++)
        any |= ((const char *)row)[member->flag_offset + i] != 0;
    return any != member->flag_not;
}

hd_value hd_member_value(const hd_member *member, const hd_view *view, const void *row) {
    if (member->via)
        row = *(const void *const *)((const char *)row + member->via_offset);
    if (!row || !has_value(member, row))
        return hd_null();
    if (member->get)
        return member->get(view, row);
    const void *at = (const char *)row + member->offset;
    if (member->kind < HD_LIST || member->kind == HD_MADE)
        return read_value(member->kind, at);
    const void *data = member->inside ? at : *(const void *const *)at;
    if (member->kind == HD_ROW)
        return hd_row(data);
    size_t count = read_value(member->count_kind, (const char *)row + member->count_offset).whole;
    return member->kind == HD_LIST ? hd_list_of(member->item, data, count)
                                   : hd_rows_of(data, count, member->stride);
}

hd_value hd_texts_of(hd_arena *arena, const void *rows, size_t count, size_t stride,
                     size_t offset) {
    const char **texts = hd_new_array(arena, const char *, count);
    for (size_t i = 0; i < count; i++)
        texts[i] = *(const char *const *)((const char *)rows + i * stride + offset);
    return hd_list(texts, count);
}

const void *hd_row_at(const hd_value *rows, size_t i) {
    return rows->stride ? (const char *)rows->data + i * rows->stride
                        : ((const void *const *)rows->data)[i];
}

hd_value hd_item_at(const hd_value *list, size_t i) {
    static const size_t sizes[] = {
        [HD_BOOL] = sizeof(bool),   [HD_U32] = sizeof(uint32_t), [HD_U64] = sizeof(uint64_t),
        [HD_I32] = sizeof(int32_t), [HD_I64] = sizeof(int64_t),  [HD_REAL] = sizeof(double),
        [HD_TEXT] = sizeof(char *)};
    return read_value(list->item, (const char *)list->data + i * sizes[list->item]);
}

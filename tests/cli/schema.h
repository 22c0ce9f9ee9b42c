/*
 * JSON Schema, as much of it as docs/heddle.schema.json uses (draft 2020-12): $ref into $defs,
 * anyOf, type, enum, const, properties, required, additionalProperties: false, items, minimum,
 * maximum, minItems, maxItems. Any other keyword is a fault of the schema.
 */
#ifndef TESTS_CLI_SCHEMA_H
#define TESTS_CLI_SCHEMA_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include <jansson.h>

typedef struct schema_check {
    const json_t *root;
    char fault[512]; /* the first one; empty: none */
    char path[256];  /* of the value: "/devices/0/name" */
} schema_check;

static bool schema_validate(schema_check *check, const json_t *schema, const json_t *value);

__attribute__((format(printf, 2, 3))) static bool schema_fault(schema_check *check,
                                                               const char *format, ...) {
    va_list args;
    int length =
        snprintf(check->fault, sizeof check->fault, "%s: ", *check->path ? check->path : "/");
    va_start(args, format);
    vsnprintf(check->fault + length, sizeof check->fault - (size_t)length, format, args);
    va_end(args);
    return false;
}

static bool schema_has_type(const char *type, const json_t *value) {
    return !strcmp(type, "object")    ? json_is_object(value)
           : !strcmp(type, "array")   ? json_is_array(value)
           : !strcmp(type, "string")  ? json_is_string(value)
           : !strcmp(type, "integer") ? json_is_integer(value)
           : !strcmp(type, "number")  ? json_is_number(value)
           : !strcmp(type, "boolean") ? json_is_boolean(value)
                                      : !strcmp(type, "null") && json_is_null(value);
}

static bool schema_type(schema_check *check, const json_t *types, const json_t *value) {
    size_t i;
    json_t *type;
    if (json_is_string(types))
        return schema_has_type(json_string_value(types), value) ||
               schema_fault(check, "is no %s", json_string_value(types));
    json_array_foreach(types, i, type)
        if (schema_has_type(json_string_value(type), value))
            return true;
    return schema_fault(check, "is of none of its types");
}

static bool schema_any_of(schema_check *check, const json_t *schemas, const json_t *value) {
    size_t i;
    json_t *schema;
    schema_check trial = *check;
    json_array_foreach(schemas, i, schema) {
        trial = *check;
        if (schema_validate(&trial, schema, value))
            return true;
    }
    return schema_fault(check, "is none of anyOf; the last: %.300s", trial.fault);
}

static bool schema_enum(schema_check *check, const json_t *values, const json_t *value) {
    size_t i;
    json_t *one;
    json_array_foreach(values, i, one)
        if (json_equal(one, value))
            return true;
    return schema_fault(check, "is none of the enum");
}

static bool schema_member(schema_check *check, const json_t *schema, const char *name,
                          const json_t *value) {
    char before[sizeof check->path];
    size_t length = strlen(check->path);
    strcpy(before, check->path);
    snprintf(check->path + length, sizeof check->path - length, "/%.60s", name);
    if (!schema_validate(check, schema, value))
        return false;
    strcpy(check->path, before);
    return true;
}

static bool schema_properties(schema_check *check, const json_t *schema, const json_t *value) {
    const json_t *properties = json_object_get(schema, "properties");
    const char *name;
    json_t *member;
    json_object_foreach((json_t *)value, name, member) {
        const json_t *of_member = json_object_get(properties, name);
        if (!of_member && json_is_false(json_object_get(schema, "additionalProperties")))
            return schema_fault(check, "has a member '%s' that is not in the schema", name);
        if (of_member && !schema_member(check, of_member, name, member))
            return false;
    }
    return true;
}

static bool schema_required(schema_check *check, const json_t *names, const json_t *value) {
    size_t i;
    json_t *name;
    json_array_foreach(names, i, name)
        if (!json_object_get(value, json_string_value(name)))
            return schema_fault(check, "has no member '%s'", json_string_value(name));
    return true;
}

static bool schema_items(schema_check *check, const json_t *schema, const json_t *value) {
    size_t i;
    json_t *item;
    char name[32];
    json_array_foreach(value, i, item) {
        snprintf(name, sizeof name, "%zu", i);
        if (!schema_member(check, schema, name, item))
            return false;
    }
    return true;
}

static bool schema_keyword(schema_check *check, const json_t *schema, const char *keyword,
                           const json_t *of, const json_t *value) {
    static const char defs[] = "#/$defs/";
    if (!strcmp(keyword, "$ref")) {
        const char *name = json_string_value(of);
        const json_t *target =
            strncmp(name, defs, sizeof defs - 1)
                ? NULL
                : json_object_get(json_object_get(check->root, "$defs"), name + sizeof defs - 1);
        return target ? schema_validate(check, target, value)
                      : schema_fault(check, "the schema has no %s", name);
    }
    if (!strcmp(keyword, "anyOf"))
        return schema_any_of(check, of, value);
    if (!strcmp(keyword, "type"))
        return schema_type(check, of, value);
    if (!strcmp(keyword, "enum"))
        return schema_enum(check, of, value);
    if (!strcmp(keyword, "const"))
        return json_equal(of, value) || schema_fault(check, "is not the constant");
    if (!strcmp(keyword, "properties"))
        return !json_is_object(value) || schema_properties(check, schema, value);
    if (!strcmp(keyword, "required"))
        return !json_is_object(value) || schema_required(check, of, value);
    if (!strcmp(keyword, "items"))
        return !json_is_array(value) || schema_items(check, of, value);
    if (!strcmp(keyword, "minimum"))
        return !json_is_number(value) || json_number_value(value) >= json_number_value(of) ||
               schema_fault(check, "is below the minimum");
    if (!strcmp(keyword, "maximum"))
        return !json_is_number(value) || json_number_value(value) <= json_number_value(of) ||
               schema_fault(check, "is above the maximum");
    if (!strcmp(keyword, "minItems"))
        return !json_is_array(value) || json_array_size(value) >= (size_t)json_integer_value(of) ||
               schema_fault(check, "has too few items");
    if (!strcmp(keyword, "maxItems"))
        return !json_is_array(value) || json_array_size(value) <= (size_t)json_integer_value(of) ||
               schema_fault(check, "has too many items");
    return !strcmp(keyword, "description") || !strcmp(keyword, "title") ||
           !strcmp(keyword, "additionalProperties") || !strcmp(keyword, "$defs") ||
           !strcmp(keyword, "$schema") || schema_fault(check, "unknown keyword %s", keyword);
}

/* Whether `value` is as `schema` says; else check->fault says where it is not. */
static bool schema_validate(schema_check *check, const json_t *schema, const json_t *value) {
    const char *keyword;
    json_t *of;
    json_object_foreach((json_t *)schema, keyword, of)
        if (!schema_keyword(check, schema, keyword, of, value))
            return false;
    return true;
}

#endif

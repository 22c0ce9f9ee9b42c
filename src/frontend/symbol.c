/* Names of C++ out of symbols, which are mangled by the rules of the Itanium C++ ABI. */
#include <ctype.h>
#include <stdlib.h>

#include "base/elf.h"
#include "frontend/build.h"
#include "frontend/frontend.h"

/* The name that starts at `at` with its length, as in "5scale"; NULL when none does. */
static const char *counted_name(hd_arena *arena, const char *at, const char **end) {
    if (!isdigit((unsigned char)*at))
        return NULL;
    char *start;
    unsigned long length = strtoul(at, &start, 10);
    if (!length || strlen(start) < length)
        return NULL;
    *end = start + length;
    return hd_strndup(arena, start, length);
}

/* "a::b::" of "N1a1b5scale…", and the name "scale"; "" and the name of what is in no namespace.
 * *at is left behind the name; where there is none (an operator), name is NULL. */
static const char *scope_of(hd_arena *arena, const char **at, const char **name) {
    hd_str scope = {.arena = arena};
    bool is_nested = **at == 'N';
    *at += is_nested;
    *at += is_nested ? strspn(*at, "rVKRO") : 0; /* const methods and their like */
    *name = counted_name(arena, *at, at);
    while (is_nested && *name && **at != 'I' && **at != 'E' && **at) {
        const char *next = counted_name(arena, *at, at);
        if (!next && (**at == 'C' || **at == 'D')) /* a constructor */
            break;
        if (strncmp(*name, "_GLOBAL__N", 10))
            hd_str_printf(&scope, "%s::", *name);
        *name = next;
    }
    return hd_str_text(&scope);
}

const char *front_scope_of_symbol(hd_arena *arena, const char *symbol) {
    symbol = hd_plain_symbol(symbol);
    const char *at = symbol + 2, *name;
    return strncmp(symbol, "_ZN", 3) ? "" : scope_of(arena, &at, &name);
}

/* "operator+" of "pl…"; NULL when it is none that C++ code defines for the device. */
static const char *operator_name(hd_arena *arena, const char *code) {
    static const char *const operators[][2] = {
        {"pl", "+"},  {"ps", "+"},   {"mi", "-"},   {"ng", "-"},  {"ml", "*"},  {"de", "*"},
        {"dv", "/"},  {"rm", "%"},   {"an", "&"},   {"ad", "&"},  {"or", "|"},  {"eo", "^"},
        {"co", "~"},  {"nt", "!"},   {"aS", "="},   {"pL", "+="}, {"mI", "-="}, {"mL", "*="},
        {"dV", "/="}, {"rM", "%="},  {"aN", "&="},  {"oR", "|="}, {"eO", "^="}, {"ls", "<<"},
        {"rs", ">>"}, {"lS", "<<="}, {"rS", ">>="}, {"eq", "=="}, {"ne", "!="}, {"lt", "<"},
        {"gt", ">"},  {"le", "<="},  {"ge", ">="},  {"aa", "&&"}, {"oo", "||"}, {"pp", "++"},
        {"mm", "--"}, {"cl", "()"},  {"ix", "[]"},  {"pt", "->"}, {"cm", ","}};
    for (size_t i = 0; i < sizeof operators / sizeof *operators; i++)
        if (!strncmp(code, operators[i][0], 2))
            return hd_format(arena, "operator%s", operators[i][1]);
    return NULL;
}

const char *front_function_of_symbol(hd_arena *arena, const char *symbol) {
    symbol = hd_plain_symbol(symbol);
    if (strncmp(symbol, "_Z", 2))
        return symbol;
    const char *at = symbol + 2, *name, *scope = scope_of(arena, &at, &name);
    if (!name)
        name = operator_name(arena, at);
    return name ? hd_format(arena, "%s%s", scope, name) : symbol;
}

/* The digits of S0_ and T1_, by which a symbol names again what it has named. */
static const char places[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";

/* ---- instances of templates ------------------------------------------------ */

/* A symbol whose arguments are read, and the text that they become. */
typedef struct instance {
    const char *symbol, *at;
    hd_str text;
} instance;

static bool add_type(instance *i);

/* "Li256E" and "Lb1E"; a negative number has an n. */
static bool add_number(instance *i) {
    char type = i->at[1];
    const char *number = i->at + 2;
    bool is_negative = *number == 'n';
    number += is_negative;
    size_t digits = strspn(number, "0123456789");
    if (!digits || number[digits] != 'E' || !strchr("bijlmstahcxy", type))
        return false;
    if (type == 'b')
        hd_str_add(&i->text, *number == '0' ? "false" : "true");
    else
        hd_str_printf(&i->text, "%s%.*s", is_negative ? "-" : "", (int)digits, number);
    i->at = number + digits + 1;
    return true;
}

/* Up to the E that ends a list of arguments. */
static bool add_arguments(instance *i) {
    hd_str_add(&i->text, "<");
    for (bool first = true; *i->at && *i->at != 'E'; first = false) {
        hd_str_add(&i->text, first ? "" : ", ");
        if (!(*i->at == 'L' ? add_number(i) : add_type(i)))
            return false;
    }
    i->at += *i->at == 'E';
    hd_str_add(&i->text, ">");
    return true;
}

/* "NS0_5shapeE" of "_ZN1a1b4fillINS0_5shapeEEvv": S_ is the first of the symbol's namespaces, S0_ the
 * first two. What other numbers stand for, types that were named before, is not known here. */
static bool add_name_in_scope(instance *i) {
    const char *number = i->at + 2, *from = i->symbol + 3;
    const char *digit = *number ? strchr(places, *number) : NULL;
    size_t names = digit ? (size_t)(digit - places) + 2 : 1;
    number += digit != NULL;
    if (strncmp(i->symbol, "_ZN", 3) || *number != '_')
        return false;
    i->at = number + 1;
    for (; *i->at != 'E'; names -= names > 0) {
        const char **next = names ? &from : &i->at;
        const char *name = counted_name(i->text.arena, *next, next);
        if (!name || *from == 'I') /* the function itself */
            return false;
        if (strncmp(name, "_GLOBAL__N", 10))
            hd_str_printf(&i->text, "%s%s", name, names || *i->at != 'E' ? "::" : "");
    }
    i->at++;
    return !names;
}

static bool add_type(instance *i) {
    static const struct {
        char code;
        const char *name;
    } types[] = {{'v', "void"},
                 {'b', "bool"},
                 {'c', "char"},
                 {'a', "signed char"},
                 {'h', "unsigned char"},
                 {'s', "short"},
                 {'t', "unsigned short"},
                 {'i', "int"},
                 {'j', "unsigned int"},
                 {'l', "long"},
                 {'m', "unsigned long"},
                 {'x', "long long"},
                 {'y', "unsigned long long"},
                 {'f', "float"},
                 {'d', "double"}};
    const char *name;
    if (*i->at == 'P' || *i->at == 'K') {
        bool is_pointer = *i->at++ == 'P';
        hd_str_add(&i->text, is_pointer ? "" : "const ");
        bool known = add_type(i);
        hd_str_add(&i->text,
                   is_pointer ? i->text.data[i->text.length - 1] == '*' ? "*" : " *" : "");
        return known;
    }
    if (!strncmp(i->at, "NS", 2))
        return add_name_in_scope(i);
    for (size_t t = 0; t < sizeof types / sizeof *types; t++)
        if (types[t].code == *i->at) {
            hd_str_add(&i->text, types[t].name);
            i->at++;
            return true;
        }
    const char *scope = scope_of(i->text.arena, &i->at, &name);
    if (!name)
        return false;
    hd_str_printf(&i->text, "%s%s", scope, name);
    if (*i->at == 'E' && *scope) /* behind a name in a namespace */
        i->at++;
    return true;
}

const char *hd_kernel_of_symbol(hd_arena *arena, const char *symbol) {
    symbol = hd_plain_symbol(symbol);
    const char *plain = front_function_of_symbol(arena, symbol), *name;
    if (plain == symbol)
        return symbol;
    instance i = {.symbol = symbol, .at = symbol + 2, .text.arena = arena};
    scope_of(arena, &i.at, &name);
    hd_str_add(&i.text, plain);
    return name && *i.at++ == 'I' && add_arguments(&i) ? hd_str_text(&i.text) : plain;
}

const char *front_class_of_table(hd_arena *arena, const char *symbol) {
    if (strncmp(symbol, "_ZTV", 4))
        return NULL;
    const char *at = symbol + 4, *name, *scope = scope_of(arena, &at, &name);
    return hd_format(arena, "%s%s", scope, name ? name : "one without a name");
}

/* `count` characters on, but not beyond the end. */
static const char *past(const char *at, size_t count) {
    while (*at && count--)
        at++;
    return at;
}

/* Behind whatever at `at` is no name: in S0_, T1_, A16_, Dv4_ and _0 stand numbers that are
 * not the length of one. */
static const char *past_other(hd_arena *arena, const char *at) {
    if (*at == 'L' && !isdigit((unsigned char)at[1])) {
        /* Behind an argument of a template that is a number: Li16E, Lb1E, LN2ns4kindE3E. */
        at++;
        if (*at == 'N') {
            at++;
            while (counted_name(arena, at, &at))
                ;
        }
        return past(at, strcspn(at, "E") + 1);
    }
    if (*at == 'S' || *at == 'T')
        return past(at, 2 + strspn(at + 1, places));
    at = past(at, at[0] == 'D' && at[1] == 'v' ? 2 : 1);
    bool counts = strchr("Av_", at[-1]) != NULL;
    return counts ? past(at, strspn(at, "0123456789")) : at;
}

/* The last name in a symbol is that of a variable. */
const char *front_symbol_name(hd_arena *arena, const char *symbol) {
    symbol = hd_plain_symbol(symbol);
    if (strncmp(symbol, "_Z", 2))
        return symbol;
    const char *last = symbol;
    for (const char *at = symbol + 2; *at;) {
        const char *name = counted_name(arena, at, &at);
        if (name)
            last = name;
        else
            at = past_other(arena, at);
    }
    return hd_format(arena, "%s%s", front_scope_of_symbol(arena, symbol), last);
}

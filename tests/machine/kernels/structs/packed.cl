// A packed struct: fields at addresses that their types alone would not allow.
// buffer: items item 5
// init: items.kind = i
// init: items.value = 100 * i + 7
// init: items.wide = 0.25 * i
// run: change 5/5
// expect: items.kind = i + 1
// expect: items.value = (100 * i + 7) * 2
// expect: items.wide = 0.25 * i + 100 * i + 7
typedef struct __attribute__((packed)) item {
    char kind;
    int value;
    double wide;
} item;
__kernel void change(__global item *items) {
    int i = get_global_id(0);
    items[i].kind++;
    items[i].wide += items[i].value;
    items[i].value *= 2;
}

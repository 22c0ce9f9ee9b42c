// Only some lanes copy; both sides are structs of their own.
// buffer: items item 8
// init: items.a = i
// init: items.b = 10 * i
// run: keep 8/8
// expect: items.a = i % 2 ? i - 1 : i
// expect: items.b = i % 2 ? 10 * i - 10 : 10 * i
typedef struct item {
    int a, b;
} item;
__kernel void keep(__global item *items) {
    int i = get_global_id(0);
    item mine = items[i];
    if (i % 2) {
        item other = items[i - 1];
        mine = other;
    }
    if (i % 2)
        items[i] = mine;
}

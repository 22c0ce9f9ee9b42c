// Fields of every width, read and written where they lie.
// buffer: items item 6
// init: items.tag = i - 3
// init: items.big = 1000000007 * i
// init: items.part = 0.5 * i
// init: items.small = 40000 + i
// run: change 6/3
// expect: items.tag = 3 - i
// expect: items.big = 1000000007 * i * 5
// expect: items.part = 0.5 * i + i - 3
// expect: items.small = 40000 + i - 1
typedef struct item {
    char tag;
    long big;
    float part;
    ushort small;
} item;
__kernel void change(__global item *items) {
    int i = get_global_id(0);
    items[i].part += items[i].tag;
    items[i].tag = -items[i].tag;
    items[i].big *= 5;
    items[i].small--;
}

// Two structs change places through a private copy.
// buffer: items item 10
// init: items.key = i * 3 % 10
// init: items.load = i + 0.125
// run: exchange 5/5
// expect: items.key = (i ^ 1) * 3 % 10
// expect: items.load = (i ^ 1) + 0.125
typedef struct item {
    uint key;
    double load;
} item;
__kernel void exchange(__global item *items) {
    int i = 2 * get_global_id(0);
    item a = items[i], b = items[i + 1];
    items[i] = b;
    items[i + 1] = a;
}

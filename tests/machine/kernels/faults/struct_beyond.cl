// A field of an element that is not there.
// buffer: items item 3
// run: sum 4/4
// fault: 11:31 load of 8 bytes at byte 56 of buffer 'items' ... 48 bytes ... 3 elements of 16 ... thread 3 of block 0
typedef struct item {
    int key;
    double load;
} item;
__kernel void sum(__global item *items) {
    int i = get_global_id(0);
    items[i].load += items[i].load;
}

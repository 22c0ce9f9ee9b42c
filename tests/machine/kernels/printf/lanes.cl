// Lanes print in their order, only those that are active, group by group.
// run: say 8/4
// prints: group 0 lane 1 value 10
// prints: group 0 lane 3 value 30
// prints: group 1 lane 1 value 50
// prints: group 1 lane 3 value 70
// pocl: its groups run side by side, and print as they come
__kernel void say(void) {
    int i = get_global_id(0);
    if (i % 2)
        printf("group %d lane %d value %d\n", (int)get_group_id(0), (int)get_local_id(0), 10 * i);
}

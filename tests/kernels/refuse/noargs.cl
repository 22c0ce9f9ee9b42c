// flags: -g 128 --local 64
// accesses: 0
// refuses: - there is no record to lay out: no buffer of this kernel hold
__kernel void k(void) { int i = get_global_id(0); (void)i; }

// A width that an argument gives, with a sign.
// buffer: p int 1 = -20000000
// run: wide 1/1
// fault: * is wider than the 4096 characters
__kernel void wide(__global const int *p) { printf("%*d|\n", p[0], 7); }

/*
 * Index transforms of the remap library, for device code and host code alike: this header is C,
 * C++, OpenCL C 1.2 and CUDA C. A program that passes its kernels as text gets it from
 * hd_remap_index_text() (heddle/remap.h).
 *
 *     features[i]  becomes  features[hd_transpose(i, points, dimensions)]
 *
 * Sizes that are constants cost no division: a compiler makes shifts and multiplications of them.
 * For sizes known only at run time the host makes an hd_divisor32 and passes it to the kernel.
 */
#ifndef HEDDLE_INDEX_H
#define HEDDLE_INDEX_H

#if defined(__OPENCL_VERSION__) || defined(__OPENCL_C_VERSION__)
#define HD_FUNCTION static inline
typedef ulong hd_wide;
#elif defined(__CUDACC__) || defined(__CUDA__)
#define HD_FUNCTION static __host__ __device__ inline __attribute__((unused))
typedef unsigned long long hd_wide;
#else
#define HD_FUNCTION static inline __attribute__((unused))
typedef unsigned long long hd_wide;
#endif

/* The unsigned type of an index. For data of 2^32 elements or more define it as hd_wide before
 * this header is read. */
#ifndef HD_INDEX
#define HD_INDEX unsigned int
#endif

/* ---- matrices: the place of an element ------------------------------------------------ */

/* Of row and column. */
HD_FUNCTION HD_INDEX hd_transpose_at(HD_INDEX row, HD_INDEX column, HD_INDEX rows) {
    return rows * column + row;
}
HD_FUNCTION HD_INDEX hd_diagonal_at(HD_INDEX row, HD_INDEX column, HD_INDEX rows) {
    return rows * (row + column) + row;
}

/* The bits of the lower half of `bits`, with a zero above each. */
HD_FUNCTION HD_INDEX hd_spread(HD_INDEX bits) {
    if (sizeof(HD_INDEX) > 4)
        bits = (bits | bits << 16) & (HD_INDEX)0x0000ffff0000ffff;
    bits = (bits | bits << 8) & (HD_INDEX)0x00ff00ff00ff00ff;
    bits = (bits | bits << 4) & (HD_INDEX)0x0f0f0f0f0f0f0f0f;
    bits = (bits | bits << 2) & (HD_INDEX)0x3333333333333333;
    return (bits | bits << 1) & (HD_INDEX)0x5555555555555555;
}
/* Every other bit of `bits`, from the lowest on: undoes hd_spread(). */
HD_FUNCTION HD_INDEX hd_gather(HD_INDEX bits) {
    bits &= (HD_INDEX)0x5555555555555555;
    bits = (bits | bits >> 1) & (HD_INDEX)0x3333333333333333;
    bits = (bits | bits >> 2) & (HD_INDEX)0x0f0f0f0f0f0f0f0f;
    bits = (bits | bits >> 4) & (HD_INDEX)0x00ff00ff00ff00ff;
    bits = (bits | bits >> 8) & (HD_INDEX)0x0000ffff0000ffff;
    if (sizeof(HD_INDEX) > 4)
        bits = (bits | bits >> 8 >> 8) & (HD_INDEX)0x00000000ffffffff;
    return bits;
}
/* Ones in the places of the bits that number `count` things. */
HD_FUNCTION HD_INDEX hd_ones(HD_INDEX count) {
    HD_INDEX ones = count - 1;
    ones |= ones >> 1;
    ones |= ones >> 2;
    ones |= ones >> 4;
    ones |= ones >> 8;
    ones |= ones >> 16;
    return sizeof(HD_INDEX) > 4 ? ones | ones >> 16 >> 16 : ones;
}
/* What row and column both have bits for is interleaved, the rest stands above. */
HD_FUNCTION HD_INDEX hd_morton_at(HD_INDEX row, HD_INDEX column, HD_INDEX rows, HD_INDEX columns) {
    HD_INDEX both = hd_ones(rows < columns ? rows : columns);
    return hd_spread(column & both) | hd_spread(row & both) << 1 |
           ((row | column) & ~both) * (both + 1);
}

/* Of an index in row-major order. */
HD_FUNCTION HD_INDEX hd_transpose(HD_INDEX index, HD_INDEX rows, HD_INDEX columns) {
    return hd_transpose_at(index / columns, index % columns, rows);
}
HD_FUNCTION HD_INDEX hd_diagonal(HD_INDEX index, HD_INDEX rows, HD_INDEX columns) {
    return hd_diagonal_at(index / columns, index % columns, rows);
}
HD_FUNCTION HD_INDEX hd_morton(HD_INDEX index, HD_INDEX rows, HD_INDEX columns) {
    return hd_morton_at(index / columns, index % columns, rows, columns);
}

/* ---- layouts: the byte offset of an element's field ------------------------------------- */

/* `run` is the offset of the field's values in a tile of `tile` elements and `tile_bytes` bytes,
 * `size` that of a value. */
HD_FUNCTION HD_INDEX hd_tiled(HD_INDEX element, HD_INDEX run, HD_INDEX size, HD_INDEX tile,
                              HD_INDEX tile_bytes) {
    return element / tile * tile_bytes + run + element % tile * size;
}

/* ---- division by a number that only the host knows ---------------------------------------- */

/*
 * A division as a multiplication, an addition and two shifts, for every dividend: Granlund and
 * Montgomery, "Division by invariant integers using multiplication", PLDI 1994, figure 4.1.
 *
 *     host     hd_divisor32 columns = hd_make_divisor32(n);      n is not 0
 *     kernel   hd_quotient32(i, columns), hd_remainder32(i, columns)
 */
typedef struct hd_divisor32 {
    unsigned int divisor, multiplier, first_shift, shift;
} hd_divisor32;
typedef struct hd_divisor64 {
    hd_wide divisor, multiplier;
    unsigned int first_shift, shift;
} hd_divisor64;

/* The upper half of a product. */
HD_FUNCTION unsigned int hd_high32(unsigned int a, unsigned int b) {
    return (unsigned int)((hd_wide)a * b >> 32);
}
HD_FUNCTION hd_wide hd_high64(hd_wide a, hd_wide b) {
#if defined(__OPENCL_VERSION__) || defined(__OPENCL_C_VERSION__)
    return mul_hi(a, b);
#elif defined(__CUDA_ARCH__)
    return __umul64hi(a, b);
#else
    const hd_wide half = 0xffffffff;
    hd_wide low = (a & half) * (b & half), left = (a >> 32) * (b & half);
    hd_wide right = (a & half) * (b >> 32), middle = (low >> 32) + (left & half) + (right & half);
    return (a >> 32) * (b >> 32) + (left >> 32) + (right >> 32) + (middle >> 32);
#endif
}

HD_FUNCTION unsigned int hd_quotient32(unsigned int a, hd_divisor32 by) {
    unsigned int part = hd_high32(by.multiplier, a);
    return (part + ((a - part) >> by.first_shift)) >> by.shift;
}
HD_FUNCTION unsigned int hd_remainder32(unsigned int a, hd_divisor32 by) {
    return a - hd_quotient32(a, by) * by.divisor;
}
HD_FUNCTION hd_wide hd_quotient64(hd_wide a, hd_divisor64 by) {
    hd_wide part = hd_high64(by.multiplier, a);
    return (part + ((a - part) >> by.first_shift)) >> by.shift;
}
HD_FUNCTION hd_wide hd_remainder64(hd_wide a, hd_divisor64 by) {
    return a - hd_quotient64(a, by) * by.divisor;
}

#if !defined(__OPENCL_VERSION__) && !defined(__OPENCL_C_VERSION__) && !defined(__CUDA_ARCH__)
/* With 2^log the least power of two that is not below the divisor, the multiplier is
 * 2^bits * (2^log - divisor) / divisor + 1, of which the lower `bits` bits count. */
HD_FUNCTION hd_divisor64 hd_make_divisor64(hd_wide divisor) {
    hd_divisor64 made;
    hd_wide rest, quotient = 0;
    unsigned int log = 0, bit;
    while (log < 64 && ((hd_wide)1 << log) < divisor)
        log++;
    rest = (log < 64 ? (hd_wide)1 << log : 0) - divisor;
    for (bit = 0; bit < 64; bit++) { /* below the divisor stays the rest of a long division */
        int carry = (int)(rest >> 63);
        rest <<= 1;
        quotient <<= 1;
        if (carry || rest >= divisor) {
            rest -= divisor;
            quotient |= 1;
        }
    }
    made.divisor = divisor;
    made.multiplier = quotient + 1;
    made.first_shift = log > 1 ? 1 : log;
    made.shift = log > 1 ? log - 1 : 0;
    return made;
}
HD_FUNCTION hd_divisor32 hd_make_divisor32(unsigned int divisor) {
    hd_divisor32 made;
    unsigned int log = 0;
    while (log < 32 && ((hd_wide)1 << log) < divisor)
        log++;
    made.divisor = divisor;
    made.multiplier = (unsigned int)((((((hd_wide)1 << log) - divisor) << 32) / divisor) + 1);
    made.first_shift = log > 1 ? 1 : log;
    made.shift = log > 1 ? log - 1 : 0;
    return made;
}
#endif

/* The transforms above with such a divisor. */
HD_FUNCTION unsigned int hd_transpose_by(unsigned int index, unsigned int rows,
                                         hd_divisor32 columns) {
    unsigned int row = hd_quotient32(index, columns);
    return rows * (index - row * columns.divisor) + row;
}
HD_FUNCTION unsigned int hd_diagonal_by(unsigned int index, unsigned int rows,
                                        hd_divisor32 columns) {
    unsigned int row = hd_quotient32(index, columns);
    return rows * (row + (index - row * columns.divisor)) + row;
}

#endif

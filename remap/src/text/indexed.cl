/*
 * The kernel of maps with an index array, and of a program's own maps: HD_UNITS of them by a group.
 * Elements of HD_EACH words are moved word by word, so that neighbouring items stay within an
 * element as long as it lasts. The side that follows the units is coalesced; what the other side is
 * depends on the numbers. A unit's number is HD_NUMBER_OF(unit), which may be HD_NONE if
 * HD_SOME_HAVE_NONE.
 */
HD_KERNEL hd_remap_kernel(HD_PARAMETERS) {
    HD_DEVICE HD_WORD *device = (HD_DEVICE HD_WORD *)part0;
    HD_HOST HD_WORD *host = (HD_HOST HD_WORD *)staging;
    const hd_w8 begin = HD_GROUP * HD_UNITS;
    const hd_w4 n = count - begin < HD_UNITS ? (hd_w4)(count - begin) : HD_UNITS;
    for (HD_COUNTER i = HD_ITEM; i < n * HD_EACH; i += HD_ITEMS) {
        const hd_w8 unit = begin + i / HD_EACH, k = i % HD_EACH, number = HD_NUMBER_OF(unit);
        const hd_w8 there = HD_BY_PLACE ? first + unit : number, here = HD_BY_PLACE ? number : unit;
        if (HD_SOME_HAVE_NONE && number == HD_NONE)
            continue;
#if HD_BACK
        host[here * HD_EACH + k] = device[there * HD_EACH + k];
#else
        device[there * HD_EACH + k] = host[here * HD_EACH + k];
#endif
    }
}

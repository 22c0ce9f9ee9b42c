/*
 * Arithmetic on reuse characteristics: distances, ascending, with their degrees. Everything that
 * the page says of one in figures comes from here; charts only draw.
 */

/** First index whose value is not below `x`. @param {ArrayLike<number>} list */
export function lower(list, x) {
    let low = 0, high = list.length;
    while (low < high) {
        const middle = (low + high) >>> 1;
        if (list[middle] < x)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/** @param {{distance: number[], degree: number[]}} characteristic */
function prepare({ distance, degree }) {
    const sums = new Float64Array(distance.length + 1);
    for (let i = 0; i < distance.length; i++)
        sums[i + 1] = sums[i] + degree[i];
    return { x: Float64Array.from(distance), y: Float64Array.from(degree), sums };
}

const prepared = new WeakMap();

/**
 * A characteristic as arrays that are quick to draw, with the sums of all degrees before each.
 * @returns {{x: Float64Array, y: Float64Array, sums: Float64Array}}
 */
export function series(characteristic) {
    if (!prepared.has(characteristic))
        prepared.set(characteristic, prepare(characteristic));
    return prepared.get(characteristic);
}

/** The degree at a distance, 0 where there is none. */
export function degreeAt({ x, y }, distance) {
    const i = lower(x, distance);
    return x[i] === distance ? y[i] : 0;
}

/**
 * The figures of the distances `from` to `to`: how many have a degree, the sum, the mean distance
 * weighted by degree (null without any), and the highest degree (the first of equals).
 */
export function rangeFigures({ x, y, sums }, from, to) {
    const first = lower(x, from), end = lower(x, to + 1);
    let peak = -1, weighted = 0;
    for (let i = first; i < end; i++) {
        weighted += x[i] * y[i];
        if (peak < 0 || y[i] > y[peak])
            peak = i;
    }
    const sum = sums[end] - sums[first];
    return {
        first, end, sum, count: end - first,
        mean: sum ? weighted / sum : null,
        peak: peak < 0 ? null : { distance: x[peak], degree: y[peak] },
    };
}

/** Both characteristics over the union of their distances, and b - a. */
export function difference(a, b) {
    const most = a.x.length + b.x.length;
    const x = new Float64Array(most), ya = new Float64Array(most), yb = new Float64Array(most);
    let n = 0;
    for (let i = 0, j = 0; i < a.x.length || j < b.x.length; n++) {
        x[n] = Math.min(i < a.x.length ? a.x[i] : Infinity, j < b.x.length ? b.x[j] : Infinity);
        ya[n] = a.x[i] === x[n] ? a.y[i++] : 0;
        yb[n] = b.x[j] === x[n] ? b.y[j++] : 0;
    }
    const y = yb.subarray(0, n).map((value, i) => value - ya[i]);
    let sum = 0, absolute = 0;
    for (const value of y) {
        sum += value;
        absolute += Math.abs(value);
    }
    return { x: x.subarray(0, n), a: ya.subarray(0, n), b: yb.subarray(0, n), y, sum, absolute };
}

/** What a scenario is, as docs/reuse.md has it. */
const meanings = {
    1: 'all blocks one after another, each MI whole',
    2: 'each block by itself',
    3: 'all blocks of a launch at the same time',
    4: 'groups of K blocks at the same time, one group after another',
    5: 'each core cluster by itself, one block at a time, MIs in pieces under its load/store units',
    6: 'all core clusters together, a block of each at the same time, MIs in pieces',
};

export const meaning = characteristic => meanings[characteristic.scenario] ?? '';

/** "Scenario 4, K = 8", which breaks at the comma only. */
export function title(characteristic) {
    const { scenario, k, clusters, units } = characteristic;
    const parameters = [['K', k], ['clusters', clusters], ['units', units]]
        .filter(([, value]) => value !== null && value !== undefined)
        .map(([name, value]) => `${name}\u00a0=\u00a0${value}`);
    return [`Scenario ${scenario}`, ...parameters].join(', ');
}

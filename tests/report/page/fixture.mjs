/*
 * Data as `heddle report` would write it (docs/report.md), made up, but with sums that agree:
 *
 *     node fixture.mjs data.json
 *
 * Three runs: one with everything, one that is like it with other figures, is advised to be left as
 * it is, and has no texts of its sources, and one with nothing.
 * Names try to be markup. One characteristic has 200,000 distances.
 */
import { writeFileSync } from 'node:fs';

const HOSTILE = '<b>&"é\'</script><!--<img src=x onerror=alert(1)>';

/** Numbers below 1 that are the same each time (mulberry32). */
function random(seed) {
    return () => {
        seed = (seed + 0x6d2b79f5) | 0;
        let t = Math.imul(seed ^ (seed >>> 15), 1 | seed);
        t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
        return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
    };
}

const sum = list => list.reduce((total, value) => total + value, 0);

function peaksOf(distance, degree) {
    return degree.map((value, i) => ({ distance: distance[i], degree: value }))
        .sort((a, b) => b.degree - a.degree || a.distance - b.distance).slice(0, 8);
}

/** The members of a characteristic from `mis` on. */
function figures(distance, degree) {
    const total = sum(degree);
    const weighted = sum(distance.map((d, i) => d * degree[i]));
    return {
        mis: 2 * (distance.at(-1) ?? 10), accesses: 3 * total + 7, domain: distance.at(-1) ?? 0,
        total, mean: total ? weighted / total : null, class: total ? 'AMB' : 'none',
        peaks: peaksOf(distance, degree), distance, degree,
    };
}

/** Degrees that fall with the distance and rise every `period`, with holes where nothing is. */
function falling(count, seed, period) {
    const next = random(seed), distance = [], degree = [];
    for (let d = 1; d <= count; d++) {
        const high = d % period === 0 ? 9 : 1;
        const value = Math.floor(high * 4e6 / (d + 40) * (0.5 + next()));
        if (value > 0 && next() < 0.9) {
            distance.push(d);
            degree.push(value);
        }
    }
    return figures(distance, degree);
}

const scenario = (number, parameters, rest) => ({
    scenario: number, k: null, clusters: null, units: null, ...parameters, streams: 1, blocks: 96,
    ...rest,
});

function huge() {
    const next = random(99), distance = [], degree = [];
    for (let d = 1; d <= 200000; d++) {
        distance.push(d);
        degree.push(1 + Math.floor(next() * 50) + (d % 4096 === 0 ? 5000 : 0));
    }
    return scenario(1, {}, figures(distance, degree));
}

function characteristics(seed) {
    return [
        scenario(1, {}, falling(2733, seed, 64)),
        scenario(3, {}, falling(37, seed + 1, 6)),
        ...[2, 4, 8, 16].map((k, i) => scenario(4, { k }, falling(1600 >> i, seed + 2 + i, 37))),
        ...[16, 32].map(units => scenario(5, { clusters: 16, units }, {
            ...falling(900, seed + units, 1000), streams: 16,
        })),
        scenario(6, { clusters: 16, units: 64 }, figures([], [])),
    ];
}

function blocksOf(kernel, count, seed) {
    const next = random(seed), outlying = new Set([7, 40, count - 1]);
    const deviation = Array.from({ length: count }, (_, i) =>
        i === 3 ? 0 : outlying.has(i) ? 0.6 + 0.1 * next() : 0.02 + 0.1 * next());
    const roles = new Map([[3, 'typical'], [7, 'outlier'], [40, 'outlier'], [count - 1, 'outlier'],
        [0, 'sample'], [20, 'sample'], [60, 'sample']]);
    const shown = [...roles].filter(([block]) => block < count).map(([block, role]) => ({
        launch: 0, block, role, deviation: deviation[block],
        ...falling(role === 'outlier' ? 90 : 40, role === 'outlier' ? seed + block : seed, 6),
    }));
    return {
        kernel, count, typical: 0, median: 0.07, limit: 0.25, outliers: outlying.size,
        launch: deviation.map(() => 0), block: deviation.map((_, i) => i), deviation, shown,
    };
}

/** A miss-ratio curve from sizes and the share of the accesses that miss beyond the cold ones. */
function stack(per, clusters, line, cache, factor) {
    const lines = [], misses = [], accesses = 1000000 * factor, cold = 2048;
    for (let n = 1; n <= 4096; n = Math.max(n + 1, Math.floor(n * 1.2))) {
        lines.push(n);
        const again = 0.8 * (accesses - cold) * Math.exp(-n / 500);
        misses.push(Math.round(cold + again * (n < 3 ? 1 : 0.6)));
    }
    const at = cache && lines.findLastIndex(size => size <= cache.lines);
    return {
        per, clusters, line, stacks: clusters ?? 1, accesses, cold, footprint: 5000, lines, misses,
        cache: cache && { ...cache, misses: misses[at] },
    };
}

function picture(name, space, columns, rows) {
    const column = [], row = [], count = [];
    for (let c = 0; c < columns; c++) {
        for (let r = 0; r < rows; r++) {
            const wave = Math.abs(r - rows / 2 * (1 + Math.sin(c / 20)) * 0.9) < 3;
            if (wave || (c * 7 + r * 13) % 97 === 0) {
                column.push(c);
                row.push(r);
                count.push(wave ? 900 + r : 1 + (c + r) % 9);
            }
        }
    }
    return {
        name, space, base: 0x100000, bytes: rows * 4096 - 100, lane_accesses: sum(count), columns,
        rows, mis_per_column: 17, bytes_per_row: 4096, column, row, count,
    };
}

const access = (line, more) => ({
    kernel: 'bfs_step', kind: 'load', space: 'global', name: `load nodes.field${line}`,
    buffer: 'nodes', width: 4, file: 'bfs/bfs.cl', line, column: 9,
    source: `    int first = nodes[adjacent[${line}]].field${line};`,
    mis: 96 * line, requests: 200 * line,
    lane_accesses: 6400 * line, transactions: 900 * line, bytes_moved: 28800 * line,
    bytes_used: 25600 * line, ...more,
});

const NAMELESS = { buffer: null, file: null, source: null, line: 0, column: 0 };

function accesses(factor) {
    return [
        ...Array.from({ length: 14 }, (_, i) => access((i + 3) * factor)),
        access(40, {
            name: HOSTILE, buffer: HOSTILE, file: HOSTILE, source: HOSTILE, bytes_used: 1,
        }),
        access(41, { ...NAMELESS, name: 'store', kind: 'store', requests: 0, transactions: 0,
                     bytes_moved: 0, bytes_used: 0 }),
        access(42, {
            source: 'x'.repeat(400), name: `load ${'very_long_name_of_a_field_'.repeat(8)}`,
        }),
    ];
}

const counted = list => Object.fromEntries(
    ['mis', 'lane_accesses', 'requests', 'transactions', 'bytes_moved', 'bytes_used']
        .map(member => [member, sum(list.map(row => row[member]))]));

function launchesOf(list) {
    const half = Object.fromEntries(Object.entries(counted(list)).map(([k, v]) => [k, v / 2]));
    const row = (first, kernel) => ({
        first, count: 5, kernel, groups: [12, 8], local: [64, 1], launches: 5, blocks: 480, ...half,
    });
    return [row(0, 'bfs_step'), row(5, HOSTILE)];
}

/* ---- advice, record, source, caches -------------------------------------------------------- */

const moved = (transactions, there = true) =>
    there ? { transactions, bytes_moved: 32 * transactions } : null;
const layoutOf = (notation, clusters) => ({ notation, clusters, discrete: false });

/** 64 fields of 4 bytes with 4 bytes of padding behind each eighth; or three arrays. */
function recordOf(arrays, changes) {
    const names = arrays ? ['x', 'y', HOSTILE]
        : Array.from({ length: 64 }, (_, i) => i === 9 ? HOSTILE : `f${i}`);
    const fields = names.map((name, i) => ({
        name, type: 'float', offset: arrays ? 4 * i : 4 * i + 4 * Math.floor(i / 8), size: 4, align: 4,
        count: 1, asked: i % 5 === 4 ? 0 : 4000 * (i + 1),
        before: moved(i % 5 === 4 ? 0 : 1000 * (i + 1)),
        after: moved(i % 5 === 4 ? 0 : 300 * (i + 1), changes),
    }));
    const together = fields.flatMap((_, a) => fields.map((__, b) => ({
        a, b, share: 1 / (1 + b - a), executions: 900 - 10 * a - b,
    }))).filter(({ a, b }) => a < b && b - a < 6);
    return {
        name: 'node', spelling: arrays ? 'node' : 'struct node', size: arrays ? 12 : 288, align: 4,
        arrays, place: { file: 'bfs/bfs.cl', line: 3, column: 8 }, fields,
        others: { asked: 800, before: moved(77), after: moved(77, changes) }, together,
    };
}

function verdictOf(record, changes) {
    const names = record.fields.map(field => field.name);
    const aos = layoutOf('aos', [{ fields: names, tile: 1 }]);
    const other = layoutOf(`{f0,f1}:4{${names.slice(2).join()}}:soa`,
        [{ fields: names.slice(0, 2), tile: 4 }, { fields: names.slice(2), tile: 'soa' }]);
    const sumOf = when => moved(sum(record.fields.map(f => f[when].transactions)) + 77);
    return {
        text: changes ? `take ${other.notation}, at 0.305 of the cost of AoS` : HOSTILE,
        basis: changes ? 'a run of the whole job' : null, note: changes ? 'a note <b>' : null, leave: !changes, ratio: changes ? 0.305 : 1,
        original: aos, layout: changes ? other : aos,
        command: changes ? `heddle apply bfs.yaml --layout '${other.notation}' --out DIR` : null,
        before: sumOf('before'), after: changes ? sumOf('after') : null,
        sampled: changes, error: changes ? 0.0123 : 0,
        reasons: [{ access: 'load nodes.f63', kernel: 'bfs_step', line: 12, why: HOSTILE }],
        layouts: changes ? [{ layout: other, ratio: 0.305 }, { layout: aos, ratio: 1 }]
            : [{ layout: aos, ratio: 1 }],
    };
}

function servedOf(factor, record) {
    const one = (scale, more) => ({
        requests: 20 * scale, transactions: 100 * scale, sectors: 100 * scale, l1_hits: 40 * scale,
        l2_sectors: 60 * scale, l2_hits: 45 * scale, l2_bytes: 1900 * scale, dram_read: 480 * scale,
        dram_written: 64 * scale, cost: 700.5 * scale, ...more,
    });
    return one(10 * factor, {
        places: [...record.fields.slice(0, 3).map(({ name }) => one(3 * factor, { record: 'node', name })),
            one(factor, { record: null, name: null })],
    });
}

/** Kernels of which one has no flops, and one no traffic of DRAM; with a layout, or without. */
function timeOf(changes) {
    const of = (seconds, name, share) =>
        ({ seconds, low: seconds / 2, high: 2 * seconds, bound: name, share });
    const kernel = (name, scale, flops, bytes, seconds, more) => ({
        kernel: name, runs: 5 * scale, flops, fp64: 0, dram_bytes: bytes,
        flops_after: changes ? flops : null, dram_bytes_after: changes ? bytes / 4 : null,
        before: of(seconds, 'DRAM', 0.703), after: changes ? of(seconds / 2, 'L2', 0.5) : null, ...more,
    });
    return {
        before: of(0.0042, 'DRAM', 0.703), after: changes ? of(0.0021, 'L2', 0.5) : null,
        gain: changes ? { times: 2, low: 1.62, high: 2.47 } : { times: 1, low: 1, high: 1 },
        copies: 0.0005, conversions: changes ? 0.00025 : 0,
        program: changes ? { times: 1.7, low: 0.98, high: 2.1 } : { times: 1, low: 1, high: 1 },
        kernels: [
            kernel('bfs_step', 1, 2e8, 1e8, 0.002, { fp64: changes ? 1e6 : 0 }),
            kernel(HOSTILE, 2, 4e9, 4e7, 0.001),
            kernel('moves', 1, 0, 1e8, 0.0007), kernel('in_cache', 1, 1e9, 0, 0.0005),
        ],
        roofs: { dram: 2e11, l2: changes ? 5e11 : null, fp32: 4e12, fp64: 1e12 },
    };
}

const LINES = 60;
const textOf = number => `    text ${number} ${number === 30 ? HOSTILE : ''}`.trimEnd();

/** A file of which lines 8, 30 and 31 have accesses, and what has no place. */
function fileOf(readable) {
    const accessOf = line => ({
        kernel: 'bfs_step', place: { file: 'bfs/bfs.cl', line, column: 5 }, kind: 'load',
        space: 'global', buffer: 'nodes', record: 'node', field: HOSTILE, width: 4,
        ...countsOf(line),
    });
    const countsOf = line => ({
        requests: 10 * line, transactions: 90 * line, bytes_moved: 2880 * line,
        bytes_used: 400 * line, local_requests: 0, bank_passes: 0, bank_conflicts: 0,
    });
    const caches = scale => ({
        sectors: 90 * scale, l1_hits: 30 * scale, l2_sectors: 60 * scale, l2_hits: 20 * scale,
        l2_bytes: 1920 * scale, dram_read: 1280 * scale, dram_written: 0,
    });
    const line = number => ({
        line: number, source: readable ? textOf(number) : null, ...countsOf(number || 1),
        efficiency: 400 / 2880, caches: readable ? caches(number || 1) : null,
        accesses: [accessOf(number)],
    });
    const numbers = readable ? [8, 30, 31] : [0, 8];
    const all = countsOf(sum(numbers.map(number => number || 1)));
    return {
        text: readable ? Array.from({ length: LINES }, (_, i) => `${textOf(i + 1)}\n`).join('') : null,
        file: readable ? 'bfs/bfs.cl' : HOSTILE, ...all, efficiency: 400 / 2880,
        caches: readable ? caches(69) : null, lines: numbers.map(line),
    };
}

function advised(changes) {
    const record = recordOf(!changes, changes);
    return {
        record, verdict: verdictOf(record, changes), files: [fileOf(changes)],
        caches: {
            sector: 32, original: servedOf(10, record), layout: changes ? servedOf(4, record) : null,
        },
        time: timeOf(changes), left_out: [],
    };
}

const LEFT_OUT = {
    record: null, verdict: null, time: null, files: [], caches: null,
    left_out: ['verdict', 'time', 'caches', 'reuse'].map(section => ({ section, why: `no ${section} <b>` })),
};

function fullRun(name, seed, factor) {
    const list = accesses(factor), launches = launchesOf(list);
    return {
        name, source: 'bfs/bfs.cl', complete: seed === 1,
        device: { name: 'tesla-k20c', warp: 32, segment: 32 }, element: 4,
        totals: { launches: 10, blocks: 960, ...counted(list) }, launches, accesses: list,
        ...advised(seed === 1),
        characteristics: characteristics(seed),
        blocks: [blocksOf('bfs_step', 96, seed + 20), blocksOf(HOSTILE, 12000, seed + 30)],
        stacks: [
            stack('device', null, 32, { name: 'L2', bytes: 16384, lines: 512 }, factor),
            stack('cluster', 13, 128,
                factor === 1 ? { name: 'L1', bytes: 16384, lines: 128 } : null, factor),
        ],
        buffers: [picture('nodes', 'global', 180, 90), picture(HOSTILE, 'constant', 1, 1)],
    };
}

function emptyRun() {
    const none = counted([]);
    return {
        name: `${'a-folder-with-a-long-name/'.repeat(12)}empty.hdt`, source: null, complete: true,
        device: { name: 'h200', warp: 32, segment: 32 }, element: 8,
        totals: { launches: 0, blocks: 0, ...none }, launches: [], accesses: [], ...LEFT_OUT,
        characteristics: [
            scenario(1, {}, figures([], [])), scenario(3, {}, figures([5], [12])),
        ],
        blocks: [], stacks: [], buffers: [],
    };
}

function fixture() {
    const first = fullRun('bfs.hdt', 1, 1), second = fullRun(HOSTILE, 50, 2);
    second.characteristics.push(huge());
    return { heddle: '0.1.0', runs: [first, second, emptyRun()] };
}

writeFileSync(process.argv[2], JSON.stringify(fixture()));

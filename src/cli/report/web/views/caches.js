/* What the device's caches served, as it was run and in the layout that is advised. */
import { bars, named } from '../amounts.js';
import { h } from '../dom.js';
import { bytes, count, percent } from '../format.js';
import { heading, leftOut } from '../sections.js';
import { table } from '../table.js';

export const name = 'Caches';

const share = (part, whole) => whole ? part / whole : null;

function servedRow(title, sum) {
    const memory = Math.max(0, sum.sectors - sum.l1_hits - sum.l2_hits);
    return {
        name: title,
        figure: `${count(sum.sectors)} sectors: ${percent(share(sum.l1_hits, sum.sectors))} from L1, ` +
            `${percent(share(sum.l2_hits, sum.sectors))} L2, ` +
            `${percent(share(memory, sum.sectors))} DRAM`,
        parts: [{ value: sum.l1_hits, kind: 'part-l1' }, { value: sum.l2_hits, kind: 'part-l2' },
            { value: memory, kind: 'part-dram' }],
    };
}

function trafficRow(title, sum) {
    return {
        name: title,
        figure: `${bytes(sum.dram_read)} read, ${bytes(sum.dram_written)} written`,
        parts: [{ value: sum.dram_read, kind: 'part-dram' },
            { value: sum.dram_written, kind: 'part-written' }],
    };
}

/** Rows of both simulations, by what they are of. */
function places({ original, layout }) {
    const key = place => `${place.record ?? ''}\0${place.name ?? ''}`;
    const then = new Map((layout?.places ?? []).map(place => [key(place), place]));
    const rows = original.places.map(now => ({ now, then: then.get(key(now)) ?? null }));
    return [...rows, { now: { ...original, record: null, name: 'in all' }, then: layout }];
}

const figure = (title, of, show) => ({ title, value: row => of(row) ?? null,
    show: row => { const value = of(row); return value === undefined ? '–' : show(value); } });

function columns(has) {
    const of = (pick, when) => row => row[when] && pick(row[when]);
    const both = (title, pick, show) => [
        figure(title, of(pick, 'now'), show),
        ...has ? [figure(`${title}, then`, row => row.then ? pick(row.then) : undefined, show)] : [],
    ];
    return [
        { title: 'of', text: true, value: ({ now }) => now.name,
          show: ({ now }) => now.record ? `${now.record}.${now.name}` : now.name ?? 'unknown memory' },
        ...both('sectors', sum => sum.sectors, count),
        ...both('L1', sum => share(sum.l1_hits, sum.sectors), percent),
        ...both('L2', sum => share(sum.l2_hits, sum.l2_sectors), percent),
        ...both('DRAM read', sum => sum.dram_read, bytes),
        ...both('written', sum => sum.dram_written, bytes),
    ];
}

export function render({ run, section }) {
    const { caches, verdict, device } = run;
    section.append(heading('caches', name));
    if (!caches) {
        section.append(leftOut(run, 'caches', 'Not simulated'));
        return;
    }
    const rows = [[() => 'now', caches.original]];
    if (caches.layout)
        rows.push([() => ['then, ', named(verdict.layout)], caches.layout]);
    section.append(
        h('p', { class: 'quiet' }, `Simulated with the caches of ${device.name}; ` +
            `a sector has ${caches.sector} bytes.`),
        h('h3', {}, 'What serves the sectors that warps ask for'),
        bars('Sectors by what served them', rows.map(([title, sum]) => servedRow(title(), sum)), [
            { kind: 'part-l1', text: 'L1' }, { kind: 'part-l2', text: 'L2' },
            { kind: 'part-dram', text: 'DRAM' },
        ]),
        h('h3', {}, 'Between L2 and DRAM'),
        bars('Bytes from and to DRAM', rows.map(([title, sum]) => trafficRow(title(), sum)), [
            { kind: 'part-dram', text: 'read' }, { kind: 'part-written', text: 'written' },
        ]),
        table('Hits by field and buffer; L1 of the sectors asked for, L2 of those that reach it',
            places(caches), columns(Boolean(caches.layout)), { sort: 1, key: 'places' }));
}

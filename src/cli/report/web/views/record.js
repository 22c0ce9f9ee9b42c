/*
 * The record as a picture: its bytes to scale, with what each field is asked for, how it would lie
 * in the layout that is advised, and which fields are used together.
 */
import { behind } from '../amounts.js';
import { h, select } from '../dom.js';
import { bytes, count, percent } from '../format.js';
import { index } from '../state.js';
import { heading, leftOut } from '../sections.js';
import { table } from '../table.js';

export const name = 'Record';

const MOST_ROWS = 12; // of the picture
const PIXELS = 30; // a byte has at most
const NARROW = 700;

/** What the fields' colours may mean. */
const heats = [
    { title: 'bytes asked for', of: field => field.asked, show: bytes },
    { title: 'transactions', of: field => field.before.transactions, show: count },
    { title: 'bytes moved', of: field => field.before.bytes_moved, show: bytes },
];

/** A heat from 0 to 1 as a ground that text stands on. */
function paint(element, share) {
    element.style.background =
        `color-mix(in srgb, var(--accent) ${(45 * share).toFixed(1)}%, var(--ground))`;
}

/* ---- the bytes ------------------------------------------------------------------------------ */

/** Bytes in a line of the picture: a segment, or twice as many until few lines are enough. */
function lineOf(size, segment, narrow) {
    let line = narrow ? Math.min(segment, 16) : segment;
    while (size / line > MOST_ROWS)
        line *= 2;
    return Math.min(line, size);
}

/** Fields and the padding between them, in order: offset, size, field or null. */
function stretches({ fields, size }) {
    const list = [];
    let at = 0;
    for (const field of [...fields].sort((a, b) => a.offset - b.offset)) {
        if (field.offset > at)
            list.push({ offset: at, size: field.offset - at, field: null });
        list.push({ offset: field.offset, size: field.size, field });
        at = Math.max(at, field.offset + field.size);
    }
    if (at < size)
        list.push({ offset: at, size: size - at, field: null });
    return list;
}

/** The part of a stretch that is in the line of `from` to `to`. */
function box(stretch, from, to, heat, most) {
    const first = Math.max(stretch.offset, from), end = Math.min(stretch.offset + stretch.size, to);
    const { field } = stretch, begins = first === stretch.offset;
    const title = field ? `${field.name}, ${field.size} B at ${field.offset}: ` +
        (field.asked ? `${heat.title} ${heat.show(heat.of(field))}` : 'never touched')
        : `padding, ${stretch.size} B`;
    const element = h('div', {
        class: `byte-box${field ? field.asked ? '' : ' untouched' : ' padding'}`, title,
    }, field ? h('span', {}, begins ? field.name : `… ${field.name}`) : null);
    element.style.left = `${100 * (first - from) / (to - from)}%`;
    element.style.width = `${100 * (end - first) / (to - from)}%`;
    if (field)
        paint(element, most ? heat.of(field) / most : 0);
    return element;
}

function picture(record, segment, heat, narrow) {
    const line = lineOf(record.size, segment, narrow), rows = [], all = stretches(record);
    const most = Math.max(...record.fields.map(heat.of));
    for (let from = 0; from < record.size; from += line) {
        const to = from + line;
        const boxes = all.filter(s => s.offset < to && s.offset + s.size > from)
            .map(s => box(s, from, to, heat, most));
        rows.push(h('div', { class: 'byte-row' }, h('span', { class: 'byte-at' }, from),
            h('div', { class: 'byte-line' }, boxes)));
    }
    const padding = all.filter(s => !s.field).reduce((sum, s) => sum + s.size, 0);
    const label = `The ${record.size} bytes of ${record.spelling}, ${record.fields.length} fields, ` +
        `${padding} bytes of padding; the table below has each`;
    const element = h('div', { class: 'byte-map', role: 'img', 'aria-label': label }, rows);
    element.style.maxWidth = `${line * PIXELS + 48}px`;
    return [element, h('p', { class: 'quiet' }, `${line} bytes in a line` +
        `${line === segment ? ', as long as a transaction' : ''}; ` +
        `${padding ? `${padding} bytes of padding, hatched` : 'no padding'}. ` +
        `The stronger a field's colour, the more ${heat.title}.`)];
}

/* ---- how it would lie ----------------------------------------------------------------------- */

const times = tile => tile === 'soa' ? ' × all' : tile === 1 ? '' : ` × ${tile}`;
const tileText = tile => tile === 'soa' ? 'each field in a run of its own'
    : tile === 1 ? 'element after element' : `${tile} elements of each field, then the next ${tile}`;

function cluster({ fields, tile }, byName, heat, most) {
    const boxes = fields.map(field => {
        const of = byName.get(field);
        const element = h('span', { class: `chip${of?.asked ? '' : ' untouched'}` },
            `${field}${times(tile)}`);
        paint(element, of && most ? heat.of(of) / most : 0);
        return element;
    });
    return h('li', { class: tile === 1 ? 'cluster joined' : 'cluster' }, h('div', {}, boxes),
        h('span', { class: 'quiet' }, fields.length > 1 || tile !== 1 ? tileText(tile) : 'by itself'));
}

function clusters(record, layout, heat) {
    const byName = new Map(record.fields.map(field => [field.name, field]));
    const most = Math.max(...record.fields.map(heat.of));
    return h('ul', { class: 'clusters' },
        layout.clusters.map(one => cluster(one, byName, heat, most)));
}

/* ---- the fields, and which are used together ------------------------------------------------ */

/** shares[a][b], from 0 to 1; 1 from a field to itself. */
function sharesOf({ fields, together }) {
    const shares = fields.map((_, a) => fields.map((_, b) => a === b ? 1 : 0));
    for (const { a, b, share } of together)
        shares[a][b] = shares[b][a] = share;
    return shares;
}

function companions(record, shares, a) {
    const squares = record.fields.map((field, b) => {
        const square = h('i', {
            class: a === b ? 'self' : null,
            title: a === b ? field.name
                : `${record.fields[a].name} and ${field.name}: ${percent(shares[a][b])}`,
        });
        if (a !== b)
            square.style.background =
                `color-mix(in srgb, var(--accent) ${(100 * shares[a][b]).toFixed(1)}%, var(--raised))`;
        return square;
    });
    const with_ = record.fields.map((field, b) => [field.name, shares[a][b], b])
        .filter(([, share, b]) => b !== a && share > 0)
        .map(([other, share]) => `${other} ${percent(share)}`);
    return h('div', {
        class: 'squares', role: 'img',
        'aria-label': with_.length ? `used together with ${with_.join(', ')}` : 'used by itself',
    }, squares);
}

function figureCells(use, heat, most) {
    const meter = h('span');
    meter.style.width = `${most ? 100 * heat.of(use) / most : 0}%`;
    return [
        h('td', { class: 'number' }, bytes(use.asked)),
        h('td', { class: 'metered' }, h('span', { class: 'meter', 'aria-hidden': true }, meter)),
        h('td', { class: 'number roomy' }, count(use.before.transactions)),
        h('td', { class: 'number roomy' }, bytes(use.before.bytes_moved)),
        use.after ? h('td', { class: 'number' }, bytes(use.after.bytes_moved)) : null,
    ];
}

const type = field => field.count > 1 ? `${field.type}[${field.count}]` : field.type;

function fieldTable(record, heat) {
    const shares = sharesOf(record), most = Math.max(...record.fields.map(heat.of), 1);
    const changes = record.fields.some(field => field.after);
    const heads = ['#', 'field', 'type', 'at', 'bytes', 'asked for', '', 'transactions', 'moved now',
        ...changes ? ['moved then'] : [], 'used together with'];
    const roomy = head => ['type', 'at', 'transactions', 'moved now'].includes(head) ? ' roomy' : '';
    const small = record.fields.length > 32 ? 'tiny' : record.fields.length > 14 ? 'small' : '';
    const text = head => ['field', 'type', 'used together with'].includes(head) ? 'text' : 'number';
    const rows = record.fields.map((field, a) => h('tr', { class: field.asked ? null : 'quiet' },
        h('td', { class: 'number' }, a + 1),
        h('th', { class: 'text', scope: 'row' }, h('div', {}, field.name)),
        h('td', { class: 'text roomy' }, type(field)),
        h('td', { class: 'number roomy' }, record.arrays ? '–' : field.offset),
        h('td', { class: 'number' }, field.size),
        figureCells(field, heat, most),
        h('td', {}, companions(record, shares, a))));
    rows.push(h('tr', { class: 'quiet' }, h('td'), h('th', { class: 'text', scope: 'row' },
        'other buffers'), h('td', { class: 'roomy' }), h('td', { class: 'roomy' }), h('td'),
        figureCells(record.others, { of: () => 0 }, 1), h('td')));
    return h('div', { class: 'table', 'data-table': 'fields' },
        h('div', {
            class: 'scroll whole', tabindex: 0, role: 'region', 'aria-label': 'Fields of the record',
        }, h('table', { class: `fields ${small}` },
            h('caption', {}, 'Fields of the record'),
            h('thead', {}, h('tr', {}, heads.map(head => head === '' ? h('td')
                : h('th', { class: text(head) + roomy(head), scope: 'col' }, head)))),
            h('tbody', {}, rows))));
}

function pairs(record) {
    const named = record.together.map(({ a, b, share, executions }) =>
        ({ a: record.fields[a].name, b: record.fields[b].name, share, executions }));
    return behind('Pairs in numbers', table('Fields that are used together', named, [
        { title: 'field', text: true, value: row => row.a },
        { title: 'and', text: true, value: row => row.b },
        { title: 'of their uses', value: row => row.share, show: row => percent(row.share) },
        { title: 'executions of both', value: row => row.executions,
          show: row => count(row.executions) },
    ], { sort: 3, key: 'together', empty: 'No two fields are used together.' }));
}

/* ---- all of it ------------------------------------------------------------------------------ */

export function render({ run, section, values, update }) {
    const { record, verdict } = run;
    if (!record) {
        section.append(heading('record', name), leftOut(run, 'verdict', 'No record'));
        return;
    }
    const chosen = index(values.get('heat'), heats.length), heat = heats[chosen];
    const narrow = document.documentElement.clientWidth < NARROW;
    section.append(
        heading('record', record.arrays
            ? `Record: arrays of ${record.name}, ${record.size} bytes an element`
            : `Record: ${record.spelling}, ${record.size} bytes`),
        h('div', { class: 'controls' }, select('Heat', heats.map(({ title }) => title), chosen,
            i => update({ heat: i ? i + 1 : null }, { redraw: true }))));
    if (!record.arrays)
        section.append(...picture(record, run.device.segment, heat, narrow));
    if (verdict.after)
        section.append(h('h3', {}, 'As it would lie'), clusters(record, verdict.layout, heat));
    section.append(fieldTable(record, heat),
        h('p', { class: 'quiet' }, 'Squares stand for the fields in their order, the fuller, the ' +
            'more often both are used: in the same element, by one run of a loop body.'),
        pairs(record));
}

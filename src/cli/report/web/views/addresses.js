/* Which part of a buffer was accessed when: its addresses over the MIs of the run. */
import { figures, h, nothing, select } from '../dom.js';
import { bytes, count, hex, percent } from '../format.js';
import { drawScale, HeatMap } from '../heatmap.js';
import { Range } from '../range.js';
import { index } from '../state.js';
import { table } from '../table.js';

export const name = 'Addresses';

/** Steps between figures on an axis of bytes: powers of two. */
const POWERS = Array.from({ length: 50 }, (_, i) => 2 ** i);

/** The bytes of the buffer that rows stand for; the last row may end before its cells do. */
function byteRange({ bytes: size, bytes_per_row: each }, from, to) {
    return [from * each, Math.min((to + 1) * each, size) - 1];
}

/** The MIs that columns stand for; the run may end before the last one does. */
function columnRange({ mis_per_column: each, mis }, from, to) {
    return [from * each, Math.min((to + 1) * each, mis) - 1];
}

const span = ([from, to]) => from === to ? count(from) : `${count(from)} to ${count(to)}`;

/** Calls act(i) for each cell of the buffer that is shown. */
function eachShown({ column, row, count: counts }, columns, rows, act) {
    const within = (value, { from, to }) => value >= from && value <= to;
    for (let i = 0; i < counts.length; i++)
        if (within(column[i], columns) && within(row[i], rows))
            act(i);
}

function shownFigures(buffer, columns, rows) {
    let sum = 0, cells = 0;
    eachShown(buffer, columns, rows, i => {
        sum += buffer.count[i];
        cells++;
    });
    return figures([
        ['MIs shown', span(columnRange(buffer, columns.from, columns.to)), 'mis-shown'],
        ['bytes shown', span(byteRange(buffer, rows.from, rows.to)), 'bytes-shown'],
        ['lane accesses there', count(sum), 'accesses-shown'],
        ['of the buffer’s', percent(sum / buffer.lane_accesses), 'share-shown'],
        ['cells with accesses', count(cells), 'cells-shown'],
    ]);
}

/** The rows that are shown, with what was accessed of them in the columns that are. */
function rowTable(buffer, columns, rows) {
    const sums = new Map();
    eachShown(buffer, columns, rows, i => {
        const [sum, cells] = sums.get(buffer.row[i]) ?? [0, 0];
        sums.set(buffer.row[i], [sum + buffer.count[i], cells + 1]);
    });
    const list = [...sums].map(([row, [sum, cells]]) => ({ row, sum, cells }));
    return table('Rows with accesses', list, [
        { title: 'bytes of the buffer', value: r => r.row,
          show: r => span(byteRange(buffer, r.row, r.row)) },
        { title: 'address', value: r => r.row,
          show: r => hex(buffer.base + r.row * buffer.bytes_per_row) },
        { title: 'lane accesses', value: r => r.sum, show: r => count(r.sum) },
        { title: 'columns with accesses', value: r => r.cells, show: r => count(r.cells) },
    ], { sort: 2, key: 'rows' });
}

function describe(buffer, counts, column, row) {
    const range = byteRange(buffer, row, row);
    const accesses = counts.get(row * buffer.columns + column) ?? 0;
    return `MIs ${span(columnRange(buffer, column, column))} · bytes ${span(range)} ` +
        `(from ${hex(buffer.base + range[0])}) · ${count(accesses)} lane accesses`;
}

/** Reads "3-17" of the address into a range. */
function place(range, text) {
    const [from, to] = (text ?? '').split('-').map(Number);
    if (text)
        range.set(from, to);
}

const written = ({ from, to, full }) => full ? null : `${from}-${to}`;

function scale(most) {
    const canvas = h('canvas', { 'aria-hidden': true });
    drawScale(canvas);
    return h('div', { class: 'scale' }, 'lane accesses of a cell: 1', canvas, count(most));
}

export function render({ run, values, root, update, main }) {
    if (!run.buffers.length) {
        root.append(nothing('This run has no pictures of its buffers.'));
        return;
    }
    const chosen = index(values.get('buffer'), run.buffers.length);
    const buffer = { ...run.buffers[chosen], mis: run.totals.mis };
    root.append(
        h('div', { class: 'controls' }, select('Buffer', run.buffers.map(one => one.name), chosen,
            i => update({ buffer: i + 1, columns: null, rows: null }, { redraw: true }))),
        figures([
            ['space', buffer.space, 'space'],
            ['first address', hex(buffer.base), 'base'],
            ['size', `${count(buffer.bytes)} B (${bytes(buffer.bytes)})`, 'bytes'],
            ['lane accesses', count(buffer.lane_accesses), 'lane_accesses'],
            ['a cell is',
             `${count(buffer.mis_per_column)} MIs by ${count(buffer.bytes_per_row)} B`, 'cell'],
        ]));
    if (buffer.count.length)
        drawMap({ buffer, values, root, update, main });
    else
        root.append(nothing('This buffer was not accessed.'));
}

function drawMap({ buffer, values, root, update, main }) {
    const columns = new Range(0, buffer.columns - 1), rows = new Range(0, buffer.rows - 1);
    place(columns, values.get('columns'));
    place(rows, values.get('rows'));
    const counts = new Map(buffer.count.map((value, i) =>
        [buffer.row[i] * buffer.columns + buffer.column[i], value]));
    const host = h('div'), readout = h('output', { class: 'hover', 'aria-hidden': true }, '\u00a0');
    const summary = h('div', { 'aria-live': 'polite' }), listed = h('div');
    const list = h('details', { class: 'values', ontoggle: () => show() },
        h('summary', {}, 'Rows of this part as a table'), listed);
    function show() {
        summary.replaceChildren(shownFigures(buffer, columns, rows));
        listed.replaceChildren(...(list.open ? [rowTable(buffer, columns, rows)] : []));
    }
    root.append(
        h('div', { class: 'controls' }, scale(buffer.count.reduce((a, b) => Math.max(a, b), 0)),
            h('button', { onclick: () => { columns.reset(); rows.reset(); } }, 'All')),
        host, readout, summary, list);
    for (const range of [columns, rows])
        range.watch((_, step) => {
            show();
            update({ columns: written(columns), rows: written(rows) }, { step });
        });
    show();
    new HeatMap(host, {
        label: `Accesses of ${buffer.name} by MI and address`, cells: buffer, columns, rows,
        perColumn: buffer.mis_per_column, perRow: buffer.bytes_per_row,
        xLabel: 'MIs of the run', yLabel: 'byte of the buffer',
        yAxis: { values: (u, ticks) => ticks.map(bytes), incrs: POWERS },
        hover: (column, row) => {
            readout.textContent =
                column === null ? '\u00a0' : describe(buffer, counts, column, row);
        },
    });
    main(columns);
}

/* What a run did: its totals, its launches, and what each access of the source moved. */
import { figures, h } from '../dom.js';
import { bytes, count, percent, real, sizes } from '../format.js';
import { table } from '../table.js';

export const name = 'Counts';

const each = row => row.requests ? row.transactions / row.requests : null;
const used = row => row.bytes_moved ? row.bytes_used / row.bytes_moved : null;
const product = list => list.reduce((a, b) => a * b, 1);
const unused = row => row.bytes_moved - row.bytes_used;

/** A column of a whole number. */
const whole = (title, member) => ({
    title, value: row => row[member], show: row => count(row[member]),
});

function share(row) {
    const value = used(row);
    if (value === null)
        return '–';
    const bar = h('span');
    bar.style.width = `${Math.min(100, 100 * value)}%`;
    return h('span', {}, h('span', { class: 'meter', 'aria-hidden': true }, bar), percent(value));
}

const moved = [
    whole('transactions', 'transactions'),
    { title: 'per request', value: each, show: row => real(each(row)) },
    whole('moved, B', 'bytes_moved'),
    { title: 'used', value: used, show: share },
    { title: 'not used, B', value: unused, show: row => count(unused(row)) },
    whole('requests', 'requests'),
];

/** Counts of launches that have no column of their own above: what a further analysis counts. */
const shown = new Set(['requests', 'transactions', 'bytes_moved']);
const further = run => (run.counted ?? []).filter(({ key }) => !shown.has(key));

const launchColumns = run => [
    { title: 'launches', value: row => row.first, show: row => row.count === 1
        ? count(row.first) : `${count(row.first)} to ${count(row.first + row.count - 1)}` },
    { title: 'kernel', text: true, value: row => row.kernel },
    { title: 'groups', value: row => product(row.groups), show: row => sizes(row.groups) },
    { title: 'block size', value: row => product(row.local), show: row => sizes(row.local) },
    ...moved,
    ...further(run).map(({ key, title }) => whole(title, key)),
    whole('blocks', 'blocks'),
    whole('MIs', 'mis'),
    whole('lane accesses', 'lane_accesses'),
];

/** "file:line:column" as far as known. */
function place(row) {
    if (!row.file)
        return null;
    return [row.file, ...[row.line, row.column].filter(Boolean)].join(':');
}

function access(row) {
    const line = row.source?.trim();
    return h('div', { class: 'wide' }, row.name,
        h('div', { class: 'quiet' }, place(row) ?? 'place unknown'),
        line ? h('code', { class: 'source', title: line }, line) : null);
}

const accessColumns = [
    { title: 'access', text: true, value: row => row.name, show: access },
    ...moved,
    { title: 'kernel', text: true, value: row => row.kernel },
    { title: 'buffer', text: true, value: row => row.buffer },
    whole('MIs', 'mis'),
    whole('lane accesses', 'lane_accesses'),
    { title: 'width, B', value: row => row.width, show: row => count(row.width) },
    { title: 'kind', text: true, value: row => row.kind },
    { title: 'space', text: true, value: row => row.space },
    { title: 'place', text: true, value: place },
];

function totals(run) {
    const { totals: all, device } = run;
    return figures([
        ['launches', count(all.launches), 'launches'],
        ['blocks', count(all.blocks), 'blocks'],
        ['MIs', count(all.mis), 'mis', 'Memory instructions: executions of an access by a block'],
        ['lane accesses', count(all.lane_accesses), 'lane_accesses'],
        [`requests, by warps of ${device.warp}`, count(all.requests), 'requests',
         'Executions of an access by a warp with at least one active lane'],
        [`transactions of ${device.segment} B`, count(all.transactions), 'transactions'],
        ['transactions per request', real(each(all)), 'each'],
        ['moved', `${count(all.bytes_moved)} B (${bytes(all.bytes_moved)})`, 'bytes_moved'],
        ['used of that', `${count(all.bytes_used)} B (${percent(used(all))})`, 'bytes_used'],
        ...further(run).map(({ key, title }) => [title, count(all[key]), key]),
    ]);
}

export function render({ run, root }) {
    root.append(
        totals(run),
        h('p', { class: 'quiet' },
            'Requests, transactions and bytes are those of global and constant memory.'),
        h('h2', {}, 'Accesses'),
        table('Accesses of the source in all launches; most bytes moved for nothing first',
            run.accesses, accessColumns,
            { sort: accessColumns.findIndex(column => column.value === unused), key: 'accesses',
              empty: 'No access was recorded.' }),
        h('h2', {}, 'Launches'),
        table('Launches in a row of the same kernel and sizes are one', run.launches, launchColumns(run),
            { sort: 0, descending: false, key: 'launches', empty: 'No launch was recorded.' }));
}

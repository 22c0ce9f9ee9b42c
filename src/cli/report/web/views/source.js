/* The source, with what each line moved in the margin. */
import { checkbox, h } from '../dom.js';
import { bytes, count, percent, real } from '../format.js';
import { heading, leftOut } from '../sections.js';

export const name = 'Source';

const AROUND = 3; // lines that are shown beside one that has accesses
const LEAST_FOLDED = 2;
const MOST_LINES = 400; // rows of a file that are drawn at first

const used = row => row.bytes_moved ? row.bytes_used / row.bytes_moved : null;
const share = (part, whole) => whole ? part / whole : null;

/** Columns of the margin: title, cell(line), only where there is room. */
function columnsOf(run, file) {
    const caches = file.caches ? [
        { title: 'L1', wide: true, show: ({ caches: c }) => percent(share(c.l1_hits, c.sectors)) },
        { title: 'L2', wide: true, show: ({ caches: c }) => percent(share(c.l2_hits, c.l2_sectors)) },
        { title: 'DRAM', wide: true, show: ({ caches: c }) => bytes(c.dram_read + c.dram_written) },
    ] : [];
    const others = (run.counted ?? []).filter(({ beside, key }) => beside && file[key]).map(
        ({ title, key }) => ({ title, wide: true, show: line => count(line[key] ?? null) }));
    return [
        { title: 'requests', wide: true, show: line => count(line.requests) },
        { title: 'transactions', wide: true, show: line => count(line.transactions) },
        { title: 'each', wide: true, show: line => real(share(line.transactions, line.requests)) },
        ...caches, ...others,
    ];
}

/** How much a line moves of the heaviest, and how much of that was used. */
function heat(line, most) {
    const inner = h('span', { class: 'part-used' }), outer = h('span', { class: 'part-unused' });
    inner.style.width = `${100 * Math.min(line.bytes_used, line.bytes_moved) / most}%`;
    outer.style.width = `${100 * Math.max(0, line.bytes_moved - line.bytes_used) / most}%`;
    return h('span', { class: 'bar line-bar', 'aria-hidden': true }, inner, outer);
}

function accessRows(line, width) {
    return line.accesses.map(access => h('tr', { class: 'access-row' }, h('td'),
        h('td', { class: 'number' }, bytes(access.bytes_moved)),
        h('td', { class: 'number' }, percent(used(access))),
        h('td', { colspan: width, class: 'text' },
            `${access.kind} ${[access.buffer ?? '?', access.field].filter(Boolean).join('.')} in ` +
            `${access.kernel}: ${count(access.requests)} requests, ` +
            `${count(access.transactions)} transactions`)));
}

/** A line that has accesses; its number opens them. */
function counted(line, text, file, columns, most) {
    const row = h('tr', { class: 'counted' });
    let open = [];
    const button = h('button', {
        class: 'plain', 'aria-expanded': 'false', title: 'Show the accesses of this line',
        onclick: () => {
            open.forEach(element => element.remove());
            open = open.length ? [] : accessRows(line, columns.length + 2);
            row.after(...open);
            button.setAttribute('aria-expanded', String(open.length > 0));
        },
    }, line.line || '?');
    row.append(
        h('td', { class: 'metered' }, heat(line, most)),
        h('td', { class: 'number' }, bytes(line.bytes_moved)),
        h('td', { class: 'number' }, percent(used(line))),
        ...columns.map(({ show, wide }) =>
            h('td', { class: `number${wide ? ' roomy' : ''}` }, show(line))),
        h('td', { class: 'number' }, button),
        h('td', { class: 'code' }, h('code', {}, text ?? '(the source is not there)')));
    return row;
}

function plain(number, text, columns) {
    return h('tr', {}, h('td'), h('td'), h('td'), columns.map(({ wide }) =>
        h('td', { class: wide ? 'roomy' : null })), h('td', { class: 'number quiet' }, number),
        h('td', { class: 'code' }, h('code', {}, text)));
}

function folded(from, to, columns, draw) {
    const row = h('tr', { class: 'folded' }), cells = 5 + columns.length;
    row.append(h('td', { colspan: cells }, h('button', {
        class: 'plain', onclick: () => row.replaceWith(...draw()),
    }, `… lines ${from} to ${to}`)));
    return row;
}

/** All lines of a text, those without accesses nearby folded. */
function textRows(file, texts, columns, most) {
    const byNumber = new Map(file.lines.map(line => [line.line, line]));
    const near = number => {
        for (let n = number - AROUND; n <= number + AROUND; n++)
            if (byNumber.has(n))
                return true;
        return false;
    };
    const rowOf = number => byNumber.has(number)
        ? counted(byNumber.get(number), texts[number - 1], file, columns, most)
        : plain(number, texts[number - 1], columns);
    const range = (from, to) => Array.from({ length: to - from + 1 }, (_, i) => rowOf(from + i));
    const rows = [];
    for (let number = 1, from; number <= texts.length; number++) {
        if (near(number) && rows.length < MOST_LINES) {
            rows.push(rowOf(number));
            continue;
        }
        for (from = number; number < texts.length &&
            (!near(number + 1) || rows.length >= MOST_LINES);)
            number++;
        const to = number, first = from;
        if (to - first < LEAST_FOLDED && rows.length < MOST_LINES) {
            rows.push(...range(first, to));
            continue;
        }
        rows.push(folded(first, to, columns, () => range(first, to)));
    }
    return rows;
}

function rowsOf(file, heavy, columns) {
    const most = Math.max(...file.lines.map(line => line.bytes_moved), 1);
    const texts = file.text?.replace(/\n$/, '').split('\n');
    const known = file.lines.filter(line => line.line > 0 && line.line <= (texts?.length ?? 0));
    if (!heavy && known.length) {
        const unknown = file.lines.filter(line => !known.includes(line));
        return [...textRows(file, texts, columns, most),
            ...unknown.map(line => counted(line, line.source, file, columns, most))];
    }
    return [...file.lines].sort((a, b) => heavy ? b.bytes_moved - a.bytes_moved : a.line - b.line)
        .map(line => counted(line, line.source, file, columns, most));
}

function fileTable(run, file, heavy) {
    const columns = columnsOf(run, file), path = file.file ?? 'file unknown';
    const heads = [{ title: 'moved' }, { title: 'used' }, ...columns, { title: 'line' }];
    return h('div', { class: 'table', 'data-table': 'source' },
        h('div', {
            class: 'scroll tall', tabindex: 0, role: 'region', 'aria-label': `Source of ${path}`,
        }, h('table', { class: 'annotated' },
            h('caption', {}, h('strong', {}, path), ` – ${bytes(file.bytes_moved)} moved, ` +
                `${percent(used(file))} of it used`),
            h('thead', {}, h('tr', {}, h('td'), heads.map(({ title, wide }) =>
                h('th', { class: `number${wide ? ' roomy' : ''}`, scope: 'col' }, title)),
                h('th', { class: 'text', scope: 'col' }, 'source'))),
            h('tbody', {}, rowsOf(file, heavy, columns)))));
}

export function render({ run, section, values, update }) {
    section.append(heading('source', name));
    if (!run.files.length) {
        section.append(leftOut(run, 'source', 'No access was recorded'));
        return;
    }
    const heavy = values.get('heavy') === '1';
    section.append(
        h('p', { class: 'quiet' }, 'What each line moved in global memory, in all launches; ' +
            'the number of a line opens its accesses.'),
        h('div', { class: 'controls' }, checkbox('Heaviest lines first', heavy,
            on => update({ heavy: on ? 1 : null }, { redraw: true }), 'heavy')),
        ...run.files.map(file => fileTable(run, file, heavy)));
}

/* Tables that are sorted by a click on a heading. */
import { h, nothing } from './dom.js';

const FIRST_ROWS = 100;

/** Undefined and null come last, whatever the direction. */
function compare(a, b, direction) {
    if (a === b)
        return 0;
    if (a === null || a === undefined)
        return 1;
    if (b === null || b === undefined)
        return -1;
    return (a < b ? -1 : 1) * direction;
}

/** @param {{text: boolean}} column */
const alignment = column => column.text ? 'text' : 'number';

/** A figure, or a text that may be long and is given a width. */
function cell(column, row) {
    const content = (column.show ?? column.value)(row) ?? '–';
    return h('td', { class: alignment(column) }, column.text ? h('div', {}, content) : content);
}

/**
 * @param {string} caption what the table shows
 * @param {Array} rows
 * @param {Object[]} columns each: title; value(row), what is sorted by; show(row), the cell (a
 *     text or a node; else the value); text: it is no figure
 * @param {{sort?: number, descending?: boolean, key?: string, empty?: string}} options
 *     the column to begin with, a name for tests, what stands there without rows
 */
export function table(caption, rows, columns, { sort = 0, descending = true, key, empty } = {}) {
    if (!rows.length)
        return nothing(empty ?? `${caption}: none.`);
    let by = sort, direction = descending ? -1 : 1, shown = FIRST_ROWS;
    const body = h('tbody');
    const more = h('button', { class: 'plain', onclick: () => { shown = rows.length; fill(); } });
    const heads = columns.map((column, i) =>
        h('th', { class: alignment(column), scope: 'col' },
            h('button', { onclick: () => resort(i) }, column.title)));

    function resort(i) {
        direction = i === by ? -direction : columns[i].text ? 1 : -1;
        by = i;
        fill();
    }

    function fill() {
        const order = [...rows].sort((a, b) =>
            compare(columns[by].value(a), columns[by].value(b), direction));
        heads.forEach((head, i) => head.setAttribute('aria-sort',
            i !== by ? 'none' : direction > 0 ? 'ascending' : 'descending'));
        body.replaceChildren(...order.slice(0, shown).map(row => h('tr', {}, columns.map(column =>
            cell(column, row)))));
        more.hidden = shown >= rows.length;
        more.textContent = `Show all ${rows.length} rows`;
    }

    fill();
    return h('div', { class: 'table', 'data-table': key },
        h('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': caption },
            h('table', {}, h('caption', {}, caption), h('thead', {}, h('tr', {}, heads)), body)),
        more);
}

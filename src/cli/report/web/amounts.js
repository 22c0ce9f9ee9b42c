/* Bars of quantities, each a row: what it is of, the bar in parts, and its figure. */
import { h } from './dom.js';

/**
 * @param {string} label what the bars show, for those who do not see them
 * @param {{name: (string|Node), figure: string, parts: {value: number, kind: string}[]}[]} rows
 *     `kind` is a class of the style sheet: the look of a part
 * @param {{kind: string, text: string}[]} legend
 */
export function bars(label, rows, legend) {
    const whole = Math.max(...rows.map(row => row.parts.reduce((sum, p) => sum + p.value, 0)), 1);
    const list = rows.map(({ name, figure, parts }) => {
        const track = h('div', { class: 'bar' }, parts.map(({ value, kind }) => {
            const part = h('span', { class: kind });
            part.style.width = `${100 * Math.max(0, value) / whole}%`;
            return part;
        }));
        return h('div', { class: 'bar-row' }, h('div', { class: 'bar-name' }, name), track,
            h('div', { class: 'bar-figure' }, figure));
    });
    return h('figure', { class: 'bars', 'aria-label': label }, list,
        h('ul', { class: 'legend', 'aria-hidden': true }, legend.map(({ kind, text }) =>
            h('li', {}, h('span', { class: `key ${kind}` }), text))));
}

/** A layout as the name of a bar; of a long one the beginning. */
export const named = ({ notation }) => h('code', { title: notation }, notation);

/** Closed until somebody wants it: figures behind a picture. */
export const behind = (summary, ...content) =>
    h('details', { class: 'values' }, h('summary', {}, summary), content);

/* All characteristics of a run side by side: a chart for each, and their figures as a table. */
import { Chart } from '../chart.js';
import { checkbox, h } from '../dom.js';
import { count, real } from '../format.js';
import { Range } from '../range.js';
import { leftOut } from '../sections.js';
import { degreeAt, meaning, rangeFigures, series, title } from '../series.js';
import { link } from '../state.js';
import { table } from '../table.js';

export const name = 'Scenarios';

const whole = (heading, member) => ({
    title: heading, value: row => row.of[member], show: row => count(row.of[member]),
});

/** A table of the figures; the titles lead to the characteristics. */
function overview(rows) {
    return table('Characteristics of this run', rows, [
        { title: 'scenario', text: true, value: row => row.number,
          show: row => h('a', { href: row.link }, title(row.of)) },
        whole('domain', 'domain'),
        whole('total degree', 'total'),
        { title: 'mean distance', value: row => row.of.mean, show: row => real(row.of.mean) },
        { title: 'highest degree at', value: row => row.of.peaks[0]?.distance ?? null,
          show: row => count(row.of.peaks[0]?.distance ?? null) },
        { title: 'class', text: true, value: row => row.of.class },
        whole('streams', 'streams'),
        whole('MIs', 'mis'),
        whole('accesses', 'accesses'),
        { title: 'what', text: true, value: row => meaning(row.of),
          show: row => h('div', { class: 'wide' }, meaning(row.of)) },
    ], { sort: 0, descending: false, key: 'characteristics' });
}

/** What the range of a chart sums up to. */
function shown(one, { from, to }) {
    const { sum } = rangeFigures(one, from, to);
    return `distances ${count(from)} to ${count(to)}: sum ${count(sum)}`;
}

/** A card whose chart is drawn by the function that comes with it. */
function card(row, range) {
    const host = h('div'), one = series(row.of);
    const readout = h('output', { class: 'hover', 'data-shown': row.number }, shown(one, range));
    range.watch(() => { readout.textContent = shown(one, range); });
    const element = h('section', { 'aria-label': title(row.of) },
        h('div', { class: 'card-head' }, h('h3', {}, title(row.of)),
            h('span', { class: 'quiet' }, `domain ${count(row.of.domain)}`)),
        host, readout);
    const hover = at => {
        const distance = Math.round(at);
        readout.textContent = at === null ? shown(one, range)
            : `distance ${count(distance)}: degree ${count(degreeAt(one, distance))}`;
    };
    const draw = () => new Chart(host, {
        label: title(row.of), range, x: one.x, height: 190, hover,
        lines: [{ y: one.y, label: 'degree', colour: '--accent', kind: 'bars' }],
        xLabel: 'reuse distance (MIs)', yLabel: 'reuse degree',
    });
    return { element, draw };
}

export function render({ run, runIndex, values, root, update, main }) {
    if (!run.characteristics.length) {
        root.append(leftOut(run, 'reuse', 'No reuse characteristic'));
        return;
    }
    const rows = run.characteristics.map((of, i) => ({
        of, number: i + 1, link: link('reuse', { of: i + 1, run: runIndex ? runIndex + 1 : null }),
    }));
    const drawn = rows.filter(row => row.of.distance.length);
    const together = values.get('together') === '1';
    const common = new Range(1, Math.max(1, ...drawn.map(row => row.of.domain)));
    if (together) {
        common.set(Number(values.get('from') ?? 1), Number(values.get('to') ?? common.high));
        common.watch(({ from, to, full }, step) =>
            update({ from: full ? null : from, to: full ? null : to }, { step }));
        main(common);
    }
    const cards = drawn.map(row => card(row, together ? common : new Range(1, row.of.domain)));
    root.append(overview(rows),
        h('div', { class: 'controls' }, checkbox(
            'Zoom all charts together, over the largest domain', together,
            on => update({ together: on ? 1 : null, from: null, to: null }, { redraw: true }),
            'together')),
        h('div', { class: 'grid' }, cards.map(({ element }) => element)));
    for (const { draw } of cards)
        draw();
}

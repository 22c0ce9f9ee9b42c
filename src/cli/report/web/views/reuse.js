/* The characteristic of one scenario, to walk through. */
import { figures, h, nothing, select } from '../dom.js';
import { Explorer } from '../explorer.js';
import { count, real } from '../format.js';
import { leftOut } from '../sections.js';
import { meaning, series, title } from '../series.js';
import { index } from '../state.js';
import { table } from '../table.js';

export const name = 'Degrees';

const PEAK_MARGIN = 20; // distances that are shown beside a peak

/** The figures of a characteristic as `figures` takes them. */
export function characteristicFigures(characteristic) {
    return [
        ['domain', count(characteristic.domain), 'domain'],
        ['total degree', count(characteristic.total), 'total'],
        ['mean distance', real(characteristic.mean), 'mean'],
        ['class', classes[characteristic.class] ?? characteristic.class, 'class'],
        ['streams', count(characteristic.streams), 'streams'],
        ['blocks', count(characteristic.blocks), 'blocks'],
        ['MIs', count(characteristic.mis), 'mis'],
        ['accesses', count(characteristic.accesses), 'accesses'],
    ];
}

const classes = {
    none: 'no reuse',
    MB: 'MB, monotonically decreasing',
    AMB: 'AMB, approximately monotonically decreasing',
    NMB: 'NMB, not monotonic',
};

function peaks(characteristic, range) {
    return table('Peaks', characteristic.peaks, [
        { title: 'distance', value: peak => peak.distance, show: peak => h('button', {
            class: 'plain', title: 'Show the distances around this peak',
            onclick: () => range.set(peak.distance - PEAK_MARGIN, peak.distance + PEAK_MARGIN),
        }, count(peak.distance)) },
        { title: 'degree', value: peak => peak.degree, show: peak => count(peak.degree) },
        { title: 'of all', value: peak => peak.degree,
          show: peak => `${(100 * peak.degree / characteristic.total).toFixed(2)}%` },
    ], { sort: 1, key: 'peaks' });
}

export function render({ run, values, root, update, main }) {
    const all = run.characteristics;
    if (!all.length) {
        root.append(leftOut(run, 'reuse', 'No reuse characteristic'));
        return;
    }
    const chosen = index(values.get('of'), all.length);
    const characteristic = all[chosen];
    root.append(
        h('div', { class: 'controls' }, select('Scenario', all.map(title), chosen,
            i => update({ of: i + 1, from: null, to: null }, { redraw: true }))),
        h('p', { class: 'quiet' },
            `${meaning(characteristic)}; elements of ${count(run.element)} bytes.`),
        figures(characteristicFigures(characteristic)));
    if (!characteristic.distance.length) {
        root.append(nothing('No element is touched twice: there is no reuse to draw.'));
        return;
    }
    const explorer = new Explorer({
        label: `Reuse degree by reuse distance, ${title(characteristic)}`,
        lines: [{ series: series(characteristic), colour: '--accent' }],
        domain: characteristic.domain,
        marks: characteristic.peaks.map(({ distance, degree }) =>
            ({ x: distance, y: degree, label: count(distance) })),
        from: Number(values.get('from') ?? 1),
        to: Number(values.get('to') ?? characteristic.domain),
        log: values.get('y') === 'log',
        changed: (state, step) => update(state, { step }),
    });
    root.append(h('div', { class: 'beside' },
        explorer.element, peaks(characteristic, explorer.range)));
    explorer.draw();
    main(explorer.range);
}

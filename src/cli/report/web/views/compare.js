/* Two characteristics over each other, what changed at each distance, and in all. */
import { Chart } from '../chart.js';
import { figures, h, select } from '../dom.js';
import { Explorer } from '../explorer.js';
import { change, count, real, signed } from '../format.js';
import { leftOut } from '../sections.js';
import { degreeAt, difference, series, title } from '../series.js';
import { table } from '../table.js';

export const name = 'Compare';

/** Every characteristic of every run, with what names it in the address: "run.characteristic". */
function all(data) {
    return data.runs.flatMap((run, r) => run.characteristics.map((of, c) => ({
        run, of, key: `${r + 1}.${c + 1}`, label: `${r + 1}: ${run.name} · ${title(of)}`,
    })));
}

/** The other one to begin with: the same scenario in another run, else the next of this run. */
function counterpart(choices, a) {
    const fits = choice => choice !== a && choice.run.element === a.run.element;
    const alike = choice => choice.run !== a.run && title(choice.of) === title(a.of);
    return choices.find(choice => fits(choice) && alike(choice)) ??
        choices.find(choice => fits(choice) && choice.run === a.run) ?? a;
}

function changes(a, b) {
    const row = (figure, first, second, show = count) => ({ figure, first, second, show });
    const rows = [
        row('domain', a.domain, b.domain),
        row('total degree', a.total, b.total),
        row('mean distance', a.mean, b.mean, real),
    ];
    const by = ({ first, second }) => first === null || second === null ? null : second - first;
    return table('Figures of both', rows, [
        { title: 'figure', text: true, value: r => rows.indexOf(r), show: r => r.figure },
        { title: 'A', value: r => r.first, show: r => r.show(r.first) },
        { title: 'B', value: r => r.second, show: r => r.show(r.second) },
        { title: 'B − A', value: by,
          show: r => by(r) === null ? '–' : (by(r) > 0 ? '+' : '') + r.show(by(r)) },
        { title: 'change', value: r => by(r) === null ? null : by(r) / r.first,
          show: r => by(r) === null ? '–' : change(r.first, r.second) },
    ], { sort: 0, descending: false, key: 'changes' });
}

/** The chart of b - a, over the same range as the one above it. */
function differenceChart(host, between, range, readout) {
    return new Chart(host, {
        label: 'Difference of the reuse degrees, B minus A', range, x: between.x, height: 220,
        lines: [{ y: between.y, label: 'B − A', colour: '--third', kind: 'bars' }],
        xLabel: 'reuse distance (MIs)', yLabel: 'B − A',
        hover: (at, next) => {
            readout.textContent = at === null ? '\u00a0' : describe(between, at, next);
        },
    });
}

function describe(between, at, next) {
    if (next - at <= 1) {
        const distance = Math.max(1, Math.round(at));
        return `Distance ${count(distance)} · B − A ${signed(degreeAt(between, distance))}`;
    }
    const from = Math.max(1, Math.ceil(at)), to = Math.ceil(next) - 1;
    let sum = 0;
    for (let distance = from; distance <= to; distance++)
        sum += degreeAt(between, distance);
    return `Distances ${count(from)} to ${count(to)} · sum of B − A ${signed(sum)}`;
}

function chooser(choices, a, b, update) {
    const choose = (label, chosen, name) => select(label, choices.map(choice => choice.label),
        choices.indexOf(chosen),
        i => update({ a: a.key, b: b.key, [name]: choices[i].key, from: null, to: null },
            { redraw: true }));
    return h('div', { class: 'controls' }, choose('A', a, 'a'), choose('B', b, 'b'),
        h('button', {
            id: 'swap', onclick: () => update({ a: b.key, b: a.key }, { redraw: true }),
        }, 'Swap'));
}

export function render({ data, run, values, root, update, main }) {
    const choices = all(data);
    if (!choices.length) {
        root.append(leftOut(run, 'reuse', 'No reuse characteristic to compare'));
        return;
    }
    const named = key => choices.find(choice => choice.key === key);
    const a = named(values.get('a')) ?? choices.find(choice => choice.run === run) ?? choices[0];
    const b = named(values.get('b')) ?? counterpart(choices, a);
    root.append(chooser(choices, a, b, update));
    if (a.run.element !== b.run.element) {
        root.append(h('p', { class: 'warning', role: 'alert', id: 'refused' },
            `These cannot be compared: A counts elements of ${a.run.element} bytes, B of ` +
            `${b.run.element} bytes, and degrees are numbers of elements.`));
        return;
    }
    draw(a, b, { values, root, update, main });
}

function draw(a, b, { values, root, update, main }) {
    const first = series(a.of), second = series(b.of), between = difference(first, second);
    const domain = Math.max(a.of.domain, b.of.domain, 1);
    const explorer = new Explorer({
        label: `Reuse degrees of A, ${a.label}, and B, ${b.label}`,
        lines: [{ series: first, colour: '--accent', name: 'A' },
                { series: second, colour: '--second', name: 'B' }],
        joined: { x: between.x, ys: [between.a, between.b] },
        domain, from: Number(values.get('from') ?? 1), to: Number(values.get('to') ?? domain),
        log: values.get('y') === 'log',
        changed: (state, step) => update(state, { step }),
    });
    const host = h('div'), readout = h('output', { class: 'hover', 'aria-hidden': true }, '\u00a0');
    root.append(
        figures([
            ['sum of differences, B − A', signed(between.sum), 'difference'],
            ['sum of absolute differences', count(between.absolute), 'absolute'],
        ]),
        changes(a.of, b.of), explorer.element,
        h('h2', {}, 'Difference at each distance, B − A'), host, readout);
    explorer.draw();
    differenceChart(host, between, explorer.range, readout);
    main(explorer.range);
}

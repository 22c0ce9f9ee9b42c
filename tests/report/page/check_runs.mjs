/*
 * A page that heddle wrote of two real runs, in a browser, against what heddle says as JSON:
 *
 *     node check_runs.mjs MODULES BROWSER FOLDER
 *
 * FOLDER has page.html, data.json (heddle report --json of the same runs), reuse.json (heddle
 * reuse --json of the first run, scenario 3) and compare.json (heddle cache --compare --json of
 * both, scenario 3).
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { launch, Shown } from './browser.mjs';

const [modules, executable, folder] = process.argv.slice(2);
const read = name => JSON.parse(readFileSync(join(folder, name), 'utf8'));
const data = read('data.json'), reuse = read('reuse.json'), compare = read('compare.json');
const browser = await launch(modules, executable);
const open = hash => Shown.open(browser, join(folder, 'page.html'), hash);
const count = value => value.toLocaleString('en-US');
const numbers = text => text.match(/\d[\d,]*/g).map(part => Number(part.replaceAll(',', '')));
const row = (run, scenario) => run.characteristics.findIndex(c => c.scenario === scenario) + 1;

for (const view of ['verdict', 'scenarios', 'blocks', 'cache', 'addresses'])
    for (const run of [1, 2]) {
        const shown = await open(`#${view}?run=${run}`);
        if (view !== 'verdict')
            await shown.expectDrawn(1);
        await shown.close();
    }

for (const [i, run] of data.runs.entries()) {
    const shown = await open(`#verdict?run=${i + 1}`);
    const { verdict, record, files } = run;
    assert.ok((await shown.page.locator('h1').innerText()).includes(
        verdict.leave ? 'eave it as it is' : verdict.layout.notation));
    if (!files.some(file => file.lines.some(line => line.line === 0)))
        assert.equal(await shown.page.locator('.counted').count(),
            files.reduce((lines, file) => lines + file.lines.length, 0));
    assert.equal((await shown.cells('fields')).length, record.fields.length + 1);
    assert.deepEqual((await shown.cells('times')).map(([kernel]) => kernel),
        run.time.kernels.map(({ kernel }) => kernel));
    await shown.page.locator('.roofline .dot-now').first().waitFor();
    await shown.goto(`#counts?run=${i + 1}`);
    for (const name of ['launches', 'blocks', 'mis', 'lane_accesses', 'transactions'])
        assert.equal(await shown.figure(name), count(run.totals[name]), name);
    const first = (await shown.cells('accesses'))[0][0];
    assert.ok(run.accesses.some(a => first.startsWith(a.name) && first.endsWith(a.source)), first);
    await shown.goto(`#scenarios?run=${i + 1}`);
    assert.deepEqual((await shown.cells('characteristics')).map(cells => [cells[1], cells[2]]),
        run.characteristics.map(c => [count(c.domain), count(c.total)]));
    await shown.close();
}

const shown = await open(`#reuse?of=${row(data.runs[0], 3)}`);
await shown.expectDrawn(1);
assert.equal(await shown.figure('total'), count(reuse.total));
await shown.expectFigure('range', `1 to ${count(reuse.domain)}`);
await shown.drag('.chart .u-over', [0.2], [0.7]);
const [from, to] = numbers(await shown.figure('range'));
assert.ok(from > 1 && to < reuse.domain, `${from} to ${to} of ${reuse.domain}`);
const within = reuse.degree.filter((_, i) => reuse.distance[i] >= from && reuse.distance[i] <= to);
await shown.expectFigure('range-sum', count(within.reduce((a, b) => a + b, 0)));

await shown.goto(`#compare?a=1.${row(data.runs[0], 3)}&b=2.${row(data.runs[1], 3)}`);
assert.equal(await shown.figure('difference'), (compare.sum > 0 ? '+' : '') + count(compare.sum));
assert.equal(await shown.figure('absolute'), count(compare.absolute));
await shown.close();
await browser.close();

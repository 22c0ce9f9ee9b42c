/*
 * What the page shows against what its data says, in a browser:
 *
 *     node check.mjs MODULES BROWSER FOLDER
 *
 * FOLDER has data.json and page.html with it. Sums are made here from the JSON alone, the obvious
 * way; nothing of the page's code is used.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { launch, Shown } from './browser.mjs';

const [modules, executable, folder] = process.argv.slice(2);
const data = JSON.parse(readFileSync(join(folder, 'data.json'), 'utf8'));
const file = join(folder, 'page.html');
const browser = await launch(modules, executable);
const open = (hash, options) => Shown.open(browser, file, hash, options);

const count = value => value.toLocaleString('en-US');
const sum = list => list.reduce((total, value) => total + value, 0);

/** The degrees of the distances `from` to `to`. */
function within({ distance, degree }, from, to) {
    return degree.filter((_, i) => distance[i] >= from && distance[i] <= to);
}

/** The range that the page says it shows. */
async function shownRange(shown, scope) {
    const text = await shown.figure('range', scope);
    return text.split(' to ').map(part => Number(part.replaceAll(',', '')));
}

async function expectRange(shown, characteristic, from, to) {
    await shown.expectFigure('range', `${count(from)} to ${count(to)}`);
    await shown.expectFigure('range-sum', count(sum(within(characteristic, from, to))));
    await shown.expectFigure('range-count', count(within(characteristic, from, to).length));
}

const checks = {
    async 'reuse: figures and peaks are those of the data'() {
        const shown = await open('#reuse?of=3');
        const characteristic = data.runs[0].characteristics[2];
        await shown.expectDrawn(2);
        for (const name of ['domain', 'total', 'streams', 'blocks', 'mis', 'accesses'])
            assert.equal(await shown.figure(name), count(characteristic[name]), name);
        assert.match(await shown.figure('class'), /^AMB/);
        const peaks = (await shown.cells('peaks')).map(([distance, degree]) => [distance, degree]);
        assert.deepEqual(peaks, characteristic.peaks.map(p => [count(p.distance), count(p.degree)]));
        await shown.close();
    },

    async 'reuse: dragging, keys, inputs and peaks change the range'() {
        const shown = await open('#reuse');
        const characteristic = data.runs[0].characteristics[0];
        await expectRange(shown, characteristic, 1, characteristic.domain);
        await shown.drag('.chart .u-over', [0.25], [0.5]);
        const [from, to] = await shownRange(shown);
        assert.ok(Math.abs(from - 0.25 * characteristic.domain) < 10, `dragged from ${from}`);
        assert.ok(Math.abs(to - 0.5 * characteristic.domain) < 10, `dragged to ${to}`);
        await expectRange(shown, characteristic, from, to);
        assert.match(shown.page.url(), new RegExp(`from=${from}&to=${to}`));

        await shown.page.locator('.chart').first().focus();
        await shown.page.keyboard.press('ArrowRight');
        const by = Math.round(0.1 * (to - from));
        await expectRange(shown, characteristic, from + by, to + by);
        await shown.page.keyboard.press('+');
        const [closeFrom, closeTo] = await shownRange(shown);
        assert.equal(closeTo - closeFrom + 1, Math.round((to - from + 1) / 2));
        await expectRange(shown, characteristic, closeFrom, closeTo);
        await shown.page.keyboard.press('0');
        await expectRange(shown, characteristic, 1, characteristic.domain);
        await shown.page.locator('.chart .u-over').first().dblclick();
        await shown.page.locator('[data-range=to]').fill('100');
        await shown.page.keyboard.press('Tab');
        await expectRange(shown, characteristic, 1, 100);
        await shown.page.locator('[data-table=peaks] tbody button').first().click();
        const peak = characteristic.peaks[0].distance;
        await expectRange(shown, characteristic, peak - 20, peak + 20);
        await shown.close();
    },
};

let failed = 0;
for (const [name, check] of Object.entries(checks)) {
    try {
        await check();
        console.log(`ok   ${name}`);
    } catch (error) {
        failed++;
        console.log(`FAIL ${name}\n${error.stack}`);
    }
}
await browser.close();
process.exit(failed ? 1 : 0);

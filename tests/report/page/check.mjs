/*
 * What the page shows against what its data says, in a browser:
 *
 *     node check.mjs MODULES BROWSER FOLDER
 *
 * FOLDER has data.json and page.html with it. Sums are made here from the JSON alone, the obvious
 * way; nothing of the page's code is used.
 */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { launch, Shown } from './browser.mjs';

const [modules, executable, folder] = process.argv.slice(2);
const data = JSON.parse(readFileSync(join(folder, 'data.json'), 'utf8'));
const file = join(folder, 'page.html');
const browser = await launch(modules, executable);
const open = (hash, options) => Shown.open(browser, file, hash, options);

const SECTIONS = ['verdict', 'time', 'record', 'source', 'caches'];
const BEHIND_REUSE = ['reuse', 'scenarios', 'blocks', 'compare', 'cache', 'addresses'];
/** Each that looks different: the sections stand below each other. */
const VIEWS = [SECTIONS[0], 'counts', ...BEHIND_REUSE];

const count = value => value.toLocaleString('en-US');
/** The numbers in a text like "1,234 to 5,678". */
const numbers = text => text.match(/\d[\d,]*/g).map(part => Number(part.replaceAll(',', '')));
const sum = list => list.reduce((total, value) => total + value, 0);

/** The degrees of the distances `from` to `to`. */
function within({ distance, degree }, from, to) {
    return degree.filter((_, i) => distance[i] >= from && distance[i] <= to);
}

/** The range that the page says it shows. */
async function shownRange(shown, scope) {
    return numbers(await shown.figure('range', scope));
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
        const peaks = (await shown.cells('peaks')).map(row => row.slice(0, 2));
        assert.deepEqual(peaks,
            characteristic.peaks.map(({ distance, degree }) => [count(distance), count(degree)]));
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
        await shown.page.waitForURL(new RegExp(`from=${from}&to=${to}`));

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

    async 'reuse: the cursor and the table tell the degrees'() {
        const shown = await open('#reuse?of=2');
        const { domain, distance, degree } = data.runs[0].characteristics[1];
        for (const d of [1, 6, domain]) {
            await shown.point('.chart .u-over', (d - 0.5) / domain);
            const expected = `Distance ${d} · degree ${count(degree[distance.indexOf(d)] ?? 0)}`;
            assert.equal(await shown.page.locator('.hover').first().innerText(), expected);
        }
        await shown.page.locator('.values summary').click();
        const rows = await shown.cells('degrees');
        assert.deepEqual(rows, distance.map((d, i) => [count(d), count(degree[i])]));
        await shown.close();
    },

    async 'reuse: a logarithmic axis, and the place in the address'() {
        const shown = await open('#reuse?of=3&from=10&to=50');
        const characteristic = data.runs[0].characteristics[2];
        await expectRange(shown, characteristic, 10, 50);
        await shown.page.getByLabel('Logarithmic degree').check();
        await shown.page.waitForURL(/y=log/);
        await shown.expectDrawn(2);
        await shown.page.getByLabel('Show all distances').click();
        await expectRange(shown, characteristic, 1, characteristic.domain);
        await shown.page.goBack();
        await expectRange(shown, characteristic, 10, 50);
        assert.ok(await shown.page.getByLabel('Logarithmic degree').isChecked());
        await shown.page.locator('#choose-scenario').focus();
        await shown.page.locator('#choose-scenario').selectOption({ index: 0 });
        const [first] = data.runs[0].characteristics;
        await expectRange(shown, first, 1, first.domain);
        assert.equal(await shown.page.evaluate(() => document.activeElement.id), 'choose-scenario');
        await shown.close();
    },

    async 'reuse: 200,000 distances'() {
        const shown = await open('#reuse?run=2&of=10');
        const characteristic = data.runs[1].characteristics[9];
        assert.equal(characteristic.distance.length, 200000);
        await expectRange(shown, characteristic, 1, 200000);
        await shown.expectDrawn(2);
        await shown.point('.chart .u-over', 0.5);
        const text = await shown.page.locator('.hover').first().innerText();
        const [, from, to, total] = text.match(/^Distances ([\d,]+) to ([\d,]+) · sum ([\d,]+)/)
            .map(part => Number(part.replaceAll(',', '')));
        assert.ok(to > from && from > 99000 && to < 101000, text);
        assert.equal(total, sum(within(characteristic, from, to)));
        await shown.drag('.chart .u-over', [0.3], [0.3005]);
        await shown.drag('.chart .u-over', [0.3], [0.31]);
        const [first, last] = await shownRange(shown);
        await expectRange(shown, characteristic, first, last);
        assert.ok(await shown.page.locator('*').count() < 1000, 'elements for distances');
        await shown.close();
    },

    async 'verdict: what to change, what it gains, the command'() {
        const shown = await open('');
        const [{ verdict, totals, caches }] = data.runs;
        const { notation } = verdict.layout;
        assert.equal(await shown.page.locator('h1').innerText(),
            `Take ${notation}, at 0.305 of the cost of AoS`);
        assert.equal(await shown.page.locator('h1 code').innerText(), notation);
        const fewer = (before, after) => `${(100 * (1 - after / before)).toFixed(1)}% fewer bytes`;
        const dram = ({ dram_read, dram_written }) => dram_read + dram_written;
        assert.equal(await shown.page.locator('[data-figure-text=gain]').innerText(),
            `${fewer(verdict.before.bytes_moved, verdict.after.bytes_moved)} move; ` +
            `${fewer(dram(caches.original), dram(caches.layout))} from and to DRAM. ` +
            'Predicted on tesla-k20c: 1.6 to 2.5 times faster.');
        assert.equal(await shown.page.locator('[data-figure-text=command]').innerText(),
            verdict.command);
        assert.match(await shown.page.locator('main').innerText(),
            /It rests on a run of the whole job\. A note <b>\. .* ±1\.2%/);
        // The bars are to scale.
        const widths = await shown.page.locator('[aria-labelledby=in-verdict] .bar').evaluateAll(
            list => list.map(bar => [...bar.children].reduce(
                (total, part) => total + part.getBoundingClientRect().width, 0)));
        assert.ok(Math.abs(widths[1] / widths[0] -
            verdict.after.bytes_moved / verdict.before.bytes_moved) < 0.01, `${widths}`);
        await shown.page.locator('.values summary', { hasText: 'Before and after' }).click();
        assert.deepEqual((await shown.cells('moved')).map(row => row.slice(2)).sort(),
            [[verdict.before, caches.original], [verdict.after, caches.layout]].map(
                ([{ transactions, bytes_moved }, served]) => [count(transactions),
                    count(bytes_moved), `${(100 * totals.bytes_used / bytes_moved).toFixed(1)}%`,
                    count(dram(served))]).sort());
        await shown.page.locator('.values summary', { hasText: 'Other layouts' }).click();
        assert.deepEqual((await shown.cells('layouts')).map(row => row.slice(1)),
            verdict.layouts.map(({ layout, ratio }) => [layout.notation, String(ratio)]));
        await shown.close();
    },

    async 'verdict: to leave it has one bar and no command; none says why'() {
        const shown = await open('#verdict?run=2');
        assert.equal(await shown.page.locator('h1').innerText(), data.runs[1].verdict.text);
        assert.equal(await shown.page.locator('[aria-labelledby=in-verdict] .bar').count(), 1);
        assert.equal(await shown.page.locator('.command').count(), 0);
        await shown.goto('#verdict?run=3');
        assert.equal(await shown.page.locator('h1').innerText(), data.runs[2].name);
        assert.deepEqual(await shown.page.locator('main .nothing').allInnerTexts(), [
            'No verdict, and no record: no verdict <b>.', 'No time is predicted: no time <b>.',
            'No record: no verdict <b>.',
            'No access was recorded.', 'Not simulated: no caches <b>.']);
        await shown.close();
    },

    async 'time: what is predicted, and kernels under their roofs'() {
        const shown = await open('#time');
        const [{ time }] = data.runs;
        assert.equal(await shown.page.locator('[data-figure-text=time]').innerText(),
            'Predicted on tesla-k20c: 4.2 ms, between 2.1 ms and 8.4 ms; then 2.1 ms: 1.6 to 2.5 ' +
            'times faster. With 500 µs of copies and 250 µs of conversions, run once: about as fast ' +
            '(0.98 to 2.1 times).');
        const widths = await shown.page.locator('[aria-labelledby=in-time] .bar span').evaluateAll(
            list => list.map(part => part.getBoundingClientRect().width));
        assert.ok(Math.abs(widths[1] / widths[0] - 0.5) < 0.01, `${widths}`);
        const rows = await shown.cells('times');
        assert.deepEqual(rows.map(row => row.slice(0, 6)), [
            ['bfs_step', '5', '2 ms', 'DRAM, 70.3%', '2', '100'],
            [time.kernels[1].kernel, '10', '1 ms', 'DRAM, 70.3%', '100', '4,000'],
            ['moves', '5', '700 µs', 'DRAM, 70.3%', '–', '–'],
            ['in_cache', '5', '500 µs', 'DRAM, 70.3%', '∞', '2,000']]);
        assert.deepEqual(rows[0].slice(6), ['1 ms', 'L2, 50.0%', '8', '200']);

        // Dots stand where the figures of the axes say, and the slope of DRAM goes through (1, 200 G).
        const picture = shown.page.locator('.roofline svg');
        const drawn = await picture.evaluate(svg => ({
            figures: ['middle', 'end'].map(anchor => Object.fromEntries(
                [...svg.querySelectorAll(`text[text-anchor=${anchor}]`)].map(text => [text.textContent,
                    Number(text.getAttribute(anchor === 'end' ? 'y' : 'x'))]))),
            now: [...svg.querySelectorAll('.dot-now')].map(dot =>
                [dot.cx.baseVal.value, dot.cy.baseVal.value, dot.textContent]),
            then: [...svg.querySelectorAll('.dot-then')].map(dot => dot.textContent),
            roofs: [...svg.querySelectorAll('.roof')].map(line =>
                ['x1', 'y1', 'x2', 'y2'].map(name => line[name].baseVal.value)),
            label: svg.getAttribute('aria-label'),
        }));
        const [across, up] = drawn.figures;
        const scale = (axis, value) => axis[100] + (axis['1,000'] - axis[100]) * Math.log10(value / 100);
        const x = value => scale(across, value), y = value => scale(up, value) - 4;
        const near = (a, b, what) => assert.ok(Math.abs(a - b) < 1, `${what}: ${a} for ${b}`);
        near(drawn.now[0][0], x(2), 'x of a dot');
        near(drawn.now[0][1], y(100), 'y of a dot');
        near(drawn.now[1][0], x(100), 'x of another');
        assert.equal(drawn.now.length, 3);
        assert.equal(drawn.now[0][2], 'bfs_step, now: 2 flop/B, 100 Gflop/s, 2 ms; DRAM, 70%');
        assert.equal(drawn.then[0], 'bfs_step, then: 8 flop/B, 200 Gflop/s, 1 ms; L2, 50%');
        const [dram, l2, fp32, fp64] = drawn.roofs;
        near(dram[2], x(20), 'ridge of DRAM');
        near(dram[3], y(4000), 'top of DRAM');
        near(l2[2], x(8), 'ridge of L2');
        near(fp32[1], y(4000), 'fp32');
        near(fp64[1], y(1000), 'fp64');
        near((dram[3] - dram[1]) / (dram[2] - dram[0]), (y(10) - y(1)) / (x(10) - x(1)), 'slope');
        assert.match(drawn.label,
            /^Roofline of tesla-k20c: DRAM 0\.2 TB\/s, L2 0\.5 TB\/s, fp32 4 Tflop\/s, fp64 1 Tflop\/s\./);
        assert.match(await shown.page.locator('[aria-labelledby=in-time]').innerText(),
            /Without floating-point operations, and so in no place of it: moves\./);

        // It is as wide as its place, and in the page's colours.
        const colour = () => picture.locator('.dot-then').first().evaluate(dot => getComputedStyle(dot).fill);
        const before = await colour();
        await shown.page.getByLabel('Light or dark').click();
        assert.notEqual(await colour(), before);
        await shown.page.setViewportSize({ width: 500, height: 900 });
        await shown.page.waitForFunction(
            () => Number(document.querySelector('.roofline svg').getAttribute('width')) < 500);

        await shown.goto('#time?run=2');
        assert.equal(await shown.page.locator('[data-figure-text=time]').innerText(),
            'Predicted on tesla-k20c: 4.2 ms, between 2.1 ms and 8.4 ms.');
        assert.equal(await shown.page.locator('.dot-then').count(), 0);
        assert.equal(await shown.page.locator('.roof').count(), 2);
        assert.equal((await shown.cells('times'))[0].length, 6);
        await shown.close();
    },

    async 'record: bytes to scale, padding, heat, and what is used together'() {
        const shown = await open('#record');
        const [{ record }] = data.runs;
        const shares = await shown.page.locator('.byte-box').evaluateAll(list => list.map(box => [
            box.className.includes('padding'), box.textContent,
            box.getBoundingClientRect().width / box.parentElement.getBoundingClientRect().width]));
        // Lines of 32 bytes: a field of 4 is an eighth of one.
        assert.ok(shares.every(([, , share]) => Math.abs(share - 1 / 8) < 0.01), 'widths');
        assert.deepEqual(shares.filter(([padding]) => !padding).map(([, text]) => text),
            record.fields.map(field => field.name));
        assert.equal(shares.filter(([padding]) => padding).length, 8);
        assert.equal(await shown.page.locator('.byte-box.untouched').count(),
            record.fields.filter(field => !field.asked).length);

        const rows = await shown.cells('fields');
        assert.equal(rows.length, record.fields.length + 1);
        assert.deepEqual(rows.slice(0, -1).map(row => [row[1], row[3], row[7]]), record.fields.map(
            field => [field.name, String(field.offset), count(field.before.transactions)]));
        const strength = (a, b) => shown.page.locator('.squares').nth(a).locator('i').nth(b)
            .evaluate(square => square.title);
        for (const { a, b, share } of record.together.slice(0, 12)) {
            const text = `${(100 * share).toFixed(1)}%`;
            assert.ok((await strength(a, b)).endsWith(text) && (await strength(b, a)).endsWith(text));
        }
        assert.match(await shown.page.locator('.squares').first().getAttribute('aria-label'),
            /^used together with f1 50\.0%, f2 33\.3%/);
        await shown.page.locator('.values summary', { hasText: 'Pairs' }).click();
        const pairs = await shown.cells('together');
        assert.equal(numbers(pairs[0][3])[0],
            Math.max(...record.together.map(({ executions }) => executions)));

        await shown.page.getByLabel('Heat').selectOption({ index: 1 });
        await shown.page.waitForURL(/heat=2/);
        assert.match(await shown.page.locator('.byte-box').first().getAttribute('title'),
            /^f0, 4 B at 0: transactions 1,000$/);
        await shown.goto('#record?run=2');
        assert.equal(await shown.page.locator('.byte-box').count(), 0, 'arrays are no struct');
        await shown.close();
    },

    async 'source: the margin, folded lines, accesses, heaviest first'() {
        const shown = await open('#source');
        const [file] = data.runs[0].files, texts = file.text.split('\n');
        const rows = () => shown.page.locator('.annotated tbody tr').evaluateAll(list => list.map(
            row => [row.className, ...[...row.cells].map(cell => cell.textContent)]));
        const kib = value => `${Number((value / 1024).toPrecision(4))} KiB`;
        const expectCounted = (row, line) => {
            assert.deepEqual(row.slice(2, 7), [kib(line.bytes_moved),
                `${(100 * line.bytes_used / line.bytes_moved).toFixed(1)}%`, count(line.requests),
                count(line.transactions), String(line.transactions / line.requests)]);
            assert.deepEqual(row.slice(7, 9), ['33.3%', '33.3%']);
            assert.deepEqual(row.slice(-2), [String(line.line), texts[line.line - 1]]);
        };
        const drawn = await rows();
        drawn.filter(([kind]) => kind === 'counted')
            .forEach((row, i) => expectCounted(row, file.lines[i]));
        assert.deepEqual(drawn.filter(([kind]) => kind === 'folded').map(row => row[1]),
            ['… lines 1 to 4', '… lines 12 to 26', '… lines 35 to 60']);
        await shown.page.locator('.folded button').nth(1).click();
        assert.equal((await rows()).length, drawn.length - 1 + 15);
        assert.ok((await rows()).some(row => row.at(-1) === textOf(20)));
        function textOf(number) { return texts[number - 1]; }

        const opener = shown.page.locator('.counted button').first();
        await opener.focus();
        await shown.page.keyboard.press('Enter');
        assert.equal(await opener.getAttribute('aria-expanded'), 'true');
        assert.match((await rows()).find(([kind]) => kind === 'access-row').at(-1),
            /^load nodes\..* in bfs_step: 80 requests, 720 transactions$/);
        await shown.page.keyboard.press('Enter');
        assert.ok(!(await rows()).some(([kind]) => kind === 'access-row'));

        await shown.page.getByLabel('Heaviest lines first').check();
        await shown.page.waitForURL(/heavy=1/);
        assert.deepEqual((await rows()).map(row => row.at(-2)), ['31', '30', '8']);
        await shown.goto('#source?run=2');
        assert.deepEqual((await rows()).map(row => row.slice(-2)),
            [['?', '(the source is not there)'], ['8', '(the source is not there)']]);
        await shown.close();
    },

    async 'caches: what serves the sectors, by place'() {
        const shown = await open('#caches');
        const [{ caches: { original, layout } }] = data.runs;
        const figures = await shown.page.locator('[aria-labelledby=in-caches] .bar-figure')
            .allInnerTexts();
        assert.equal(figures[0],
            `${count(original.sectors)} sectors: 40.0% from L1, 45.0% L2, 15.0% DRAM`);
        assert.equal(figures.length, 4);
        const rows = await shown.cells('places');
        assert.equal(rows.length, original.places.length + 1);
        assert.deepEqual(rows[0].slice(0, 4),
            ['in all', count(original.sectors), count(layout.sectors), '40.0%']);
        assert.ok(rows.some(row => row[0] === 'unknown memory'));
        await shown.goto('#caches?run=2');
        assert.equal((await shown.cells('places'))[0].length, 6);
        await shown.close();
    },

    async 'the head leads to the sections of the first view'() {
        const shown = await open('');
        const top = () => shown.page.evaluate(() => scrollY);
        assert.equal(await top(), 0);
        await shown.page.locator('nav a', { hasText: 'Caches' }).click();
        await shown.page.locator('nav a[aria-current=page][href^="#caches"]').waitFor();
        const box = await shown.page.locator('#in-caches').boundingBox();
        assert.ok(await top() > 500 && box.y > 0 && box.y < 900, `${await top()} ${box.y}`);
        const there = await top();
        await shown.page.getByLabel('Light or dark').evaluate(button => button.click());
        assert.equal(await top(), there);
        await shown.page.locator('nav a', { hasText: 'Verdict' }).click();
        await shown.page.locator('nav a[aria-current=page][href^="#verdict"]').waitFor();
        assert.equal(await top(), 0);
        await shown.close();
    },

    async 'counts: totals, accesses and launches'() {
        const shown = await open('#counts');
        const { totals, accesses, launches } = data.runs[0];
        for (const name of
            ['launches', 'blocks', 'mis', 'lane_accesses', 'requests', 'transactions'])
            assert.equal(await shown.figure(name), count(totals[name]), name);
        for (const name of ['bytes_moved', 'bytes_used'])
            assert.equal((await shown.figure(name)).split(' B (')[0], count(totals[name]));

        const rows = await shown.cells('accesses');
        const unused = row => row.bytes_moved - row.bytes_used;
        const worst = [...accesses].sort((a, b) => unused(b) - unused(a));
        assert.equal(rows.length, accesses.length);
        worst.forEach((access, i) => {
            assert.ok(rows[i][0].startsWith(access.name), rows[i][0]);
            assert.ok(rows[i][0].endsWith(access.source?.trim() ?? 'place unknown'), rows[i][0]);
            assert.equal(rows[i][1], count(access.transactions));
            assert.equal(rows[i][3], count(access.bytes_moved));
            assert.equal(rows[i][4], access.bytes_moved
                ? `${(100 * access.bytes_used / access.bytes_moved).toFixed(1)}%` : '–');
            assert.equal(rows[i][5], count(unused(access)));
        });
        await shown.page.locator('[data-table=accesses] th button', { hasText: 'MIs' }).click();
        const sorted = (await shown.cells('accesses')).map(row => numbers(row[9])[0]);
        assert.deepEqual(sorted, accesses.map(row => row.mis).sort((a, b) => b - a));

        const shownLaunches = await shown.cells('launches');
        assert.deepEqual(shownLaunches.map(row => row[1]), launches.map(row => row.kernel));
        assert.deepEqual(shownLaunches.map(row => row[4]),
            launches.map(row => count(row.transactions)));
        await shown.page.locator('#choose-run').selectOption({ index: 1 });
        assert.equal(await shown.figure('mis'), count(data.runs[1].totals.mis));
        for (const [i, run] of data.runs.entries()) {
            await shown.goto(`#verdict?run=${i + 1}`);
            assert.equal(await shown.page.locator('.warning').count(), run.complete ? 0 : 1);
        }
        await shown.close();
    },

    async 'names are never markup'() {
        const shown = await open('#verdict?run=2');
        const hostile = data.runs[1].name;
        assert.ok(hostile.includes('<img'));
        assert.ok((await shown.page.locator('.about').innerText()).startsWith(hostile));
        for (const view of VIEWS) {
            await shown.goto(`#${view}?run=2`);
            const made = shown.page.locator('main img, main b, main script, header img');
            assert.equal(await made.count(), 0, view);
        }
        await shown.close();
    },

    async 'scenarios: figures of all, charts together and alone'() {
        const shown = await open('#scenarios');
        const { characteristics } = data.runs[0];
        const rows = await shown.cells('characteristics');
        assert.deepEqual(rows.map(row => [row[1], row[2]]),
            characteristics.map(c => [count(c.domain), count(c.total)]));
        const drawn = characteristics.filter(c => c.distance.length).length;
        assert.equal(await shown.page.locator('.chart').count(), drawn);
        await shown.expectDrawn(drawn);
        const readout = i => shown.page.locator(`[data-shown="${i + 1}"]`).innerText();
        const expected = (c, from, to) =>
            `distances ${count(from)} to ${count(to)}: sum ${count(sum(within(c, from, to)))}`;
        const focusAndPress = async key => {
            await shown.page.locator('.chart').nth(1).focus();
            await shown.page.keyboard.press(key);
        };
        await focusAndPress('+');
        const [first, second] = characteristics;
        assert.equal(await readout(0), expected(first, 1, first.domain));
        assert.notEqual(await readout(1), expected(second, 1, second.domain));
        await shown.page.locator('#together').check();
        const widest = Math.max(...characteristics.map(c => c.domain));
        assert.equal(await readout(1), expected(second, 1, widest));
        await focusAndPress('+');
        const [from, to] = numbers(await readout(0));
        assert.equal(to - from + 1, Math.round(widest / 2));
        for (const i of [0, 1, 2])
            assert.equal(await readout(i), expected(characteristics[i], from, to));
        await shown.close();
    },

    async 'blocks: deviations, outliers, one over the typical'() {
        const shown = await open('#blocks');
        const [kernel] = data.runs[0].blocks;
        assert.equal(await shown.figure('count'), count(kernel.count));
        assert.equal(await shown.figure('outliers'), count(kernel.outliers));
        await shown.expectDrawn(kernel.shown.length + 3);
        const rows = await shown.cells('blocks');
        const worst = [...kernel.shown].sort((a, b) => b.deviation - a.deviation);
        assert.deepEqual(rows.map(row => row[0]),
            worst.map(row => `launch ${row.launch}, block ${count(row.block)}`));
        assert.deepEqual(rows.map(row => row[4]), worst.map(row => count(row.total)));
        assert.equal(rows.filter(row => row[1].includes('outlier')).length, kernel.outliers);

        const chosen = 5;
        await shown.page.locator(`#block-${chosen}`).click();
        const [typical, block] = [kernel.shown[kernel.typical], kernel.shown[chosen]];
        const sums = await shown.page.locator('[data-figure="range-sum"] dd').allInnerTexts();
        assert.deepEqual(sums, [count(typical.total), count(block.total)]);
        await shown.page.waitForURL(/block=6/);

        const span = Math.max(0.5, (kernel.count - 1) / 80); // that the chart leaves beside dots
        const outlier = kernel.shown.findIndex(row => row.role === 'outlier');
        const at = (kernel.shown[outlier].block + span) / (kernel.count - 1 + 2 * span);
        const high = 1.06 * Math.max(...kernel.deviation), low = -0.06 / 1.06 * high;
        const height = 1 - (kernel.shown[outlier].deviation - low) / (high - low);
        await shown.point('.chart .u-over', at, height);
        assert.match(await shown.page.locator('.hover').first().innerText(),
            new RegExp(`block ${kernel.shown[outlier].block} .*an outlier$`));
        await shown.page.mouse.down();
        await shown.page.mouse.up();
        await shown.page.waitForURL(new RegExp(`block=${outlier + 1}$`));
        await shown.close();
    },

    async 'compare: sums and changes are those of the data'() {
        const shown = await open('#compare?a=1.3&b=2.2');
        const a = data.runs[0].characteristics[2], b = data.runs[1].characteristics[1];
        const between = new Map();
        a.distance.forEach((d, i) => between.set(d, -a.degree[i]));
        b.distance.forEach((d, i) => between.set(d, (between.get(d) ?? 0) + b.degree[i]));
        const all = [...between.values()], total = sum(all);
        assert.equal(await shown.figure('difference'), (total > 0 ? '+' : '') + count(total));
        assert.equal(await shown.figure('absolute'), count(sum(all.map(Math.abs))));
        const rows = await shown.cells('changes');
        const by = b.domain - a.domain;
        assert.deepEqual(rows[0], ['domain', count(a.domain), count(b.domain), count(by),
            `${(100 * by / a.domain).toFixed(1)}%`]);
        assert.deepEqual(rows[1].slice(0, 3), ['total degree', count(a.total), count(b.total)]);
        await shown.expectDrawn(3);
        await shown.drag('.chart .u-over', [0.2], [0.4]);
        const [from, to] = await shownRange(shown);
        const sums = await shown.page.locator('[data-figure="range-sum"] dd').allInnerTexts();
        assert.deepEqual(sums, [a, b].map(c => count(sum(within(c, from, to)))));
        await shown.point('.chart >> nth=1 >> .u-over', 0.5);
        const text = await shown.page.locator('.hover').nth(1).innerText();
        const bounds = numbers(text.split(' · ')[0]);
        const there = sum([...between]
            .filter(([distance]) => distance >= bounds[0] && distance <= bounds.at(-1))
            .map(([, value]) => value));
        assert.ok(text.endsWith(` ${there > 0 ? '+' : ''}${count(there)}`), `${text}: ${there}`);
        await shown.page.locator('#swap').click();
        assert.equal(await shown.figure('difference'), (total < 0 ? '+' : '') + count(-total));
        await shown.close();
    },

    async 'compare: different elements are refused'() {
        const shown = await open('#compare?a=1.1&b=3.2');
        assert.match(await shown.page.locator('#refused').innerText(),
            /cannot be compared.* 4 bytes.* 8 bytes/);
        assert.equal(await shown.page.locator('main canvas').count(), 0);
        await shown.close();
    },

    async 'cache: curves, caches and misses'() {
        const shown = await open('#cache?stacks=1.1,1.2,2.1');
        await shown.expectDrawn(1);
        const stacks = data.runs.flatMap(run => run.stacks);
        const rows = await shown.cells('curves');
        assert.deepEqual(rows.map(row => [row[1], row[2], row[3]]),
            stacks.map(s => [count(s.accesses), count(s.cold), count(s.footprint)]));
        assert.deepEqual(rows.map(row => row[6]),
            stacks.map(s => s.cache ? count(s.cache.misses) : '–'));
        await shown.page.locator('.values summary').click();
        const [first] = stacks, at = first.lines.findLastIndex(lines => lines * first.line <= 4096);
        const row = (await shown.cells('ratios')).find(([size]) => size === '4 KiB');
        assert.equal(row[1], `${(100 * first.misses[at] / first.accesses).toFixed(1)}%`);
        assert.equal(row.length, 4);

        await shown.point('.chart .u-over', 0.5);
        const [text] = (await shown.page.locator('.hover').first().innerText()).split('\n');
        const [, lines, misses] = text.match(/ ([\d,]+) lines .*: ([\d,]+) of /)
            .map(part => Number(part.replaceAll(',', '')));
        assert.equal(misses, first.misses[first.lines.findLastIndex(size => size <= lines)]);
        await shown.page.locator('[id="stack-1.2"]').uncheck();
        await shown.page.waitForURL(/stacks=1.1%2C2.1/);
        await shown.drag('.chart .u-over', [0.2], [0.6]);
        await shown.page.waitForURL(/from=\d+&to=\d+/);
        await shown.expectDrawn(1);
        await shown.close();
    },

    async 'addresses: the picture, zoomed by dragging'() {
        const shown = await open('#addresses');
        const [buffer] = data.runs[0].buffers;
        await shown.expectDrawn(2);
        assert.equal(await shown.figure('accesses-shown'), count(buffer.lane_accesses));
        await shown.drag('.chart .u-over', [0.25, 0.25], [0.5, 0.75]);
        const mis = numbers(await shown.figure('mis-shown'));
        const bytes = numbers(await shown.figure('bytes-shown'));
        const left = mis[0] / (buffer.columns * buffer.mis_per_column);
        const top = bytes[1] / (buffer.rows * buffer.bytes_per_row);
        assert.ok(Math.abs(left - 0.25) < 0.02 && Math.abs(top - 0.75) < 0.02, `${left} ${top}`);
        const within = (value, [from, to]) => value >= from && value <= to;
        const inside = i => within(buffer.column[i] * buffer.mis_per_column, mis) &&
            within(buffer.row[i] * buffer.bytes_per_row, bytes);
        const there = buffer.count.filter((_, i) => inside(i));
        assert.equal(await shown.figure('accesses-shown'), count(sum(there)));
        assert.equal(await shown.figure('cells-shown'), count(there.length));
        await shown.page.locator('.values summary').click();
        const rows = await shown.cells('rows');
        assert.equal(sum(rows.map(row => numbers(row[2])[0])), sum(there));

        await shown.page.locator('.chart').focus();
        await shown.page.keyboard.press('0');
        await shown.expectFigure('accesses-shown', count(buffer.lane_accesses));
        await shown.point('.chart .u-over', 0.5 / buffer.columns, 1 - 0.5 / buffer.rows);
        const corner =
            buffer.count.find((_, i) => buffer.column[i] === 0 && buffer.row[i] === 0) ?? 0;
        assert.equal(await shown.page.locator('.hover').innerText(),
            `MIs 0 to 16 · bytes 0 to 4,095 (from 0x100000) · ${count(corner)} lane accesses`);
        await shown.close();
    },

    async 'every view of every run, light and dark, on three kinds of screen'() {
        const small = { width: 1000, height: 800 }, narrow = { width: 400, height: 800 };
        for (const options of [{ colorScheme: 'light' },
            { colorScheme: 'dark', deviceScaleFactor: 2, viewport: small },
            { colorScheme: 'light', viewport: narrow }]) {
            const shown = await open('', options);
            for (const view of VIEWS) {
                for (let run = 1; run <= data.runs.length; run++) {
                    await shown.goto(`#${view}?run=${run}`);
                    await shown.expectDrawn(0);
                    const { wide, theme } = await shown.page.evaluate(() => ({
                        wide: document.documentElement.scrollWidth - innerWidth,
                        theme: document.documentElement.dataset.theme,
                    }));
                    assert.equal(theme, options.colorScheme);
                    assert.ok(wide <= 0, `${view} of run ${run} is ${wide} pixels too wide`);
                }
            }
            await shown.close();
        }
    },

    async 'colours: the switch, kept, and contrast'() {
        const shown = await open('', { colorScheme: 'light' });
        const theme = () => shown.page.evaluate(() => document.documentElement.dataset.theme);
        for (const expected of ['light', 'dark']) {
            assert.equal(await theme(), expected);
            for (const [pair, contrast] of await shown.page.evaluate(contrasts))
                assert.ok(contrast >= 4.5, `${pair} in ${expected}: ${contrast}`);
            for (const contrast of await shown.page.locator('.byte-box, .chip')
                .evaluateAll(contrastsOf))
                assert.ok(contrast >= 4.5, `heat in ${expected}: ${contrast}`);
            await shown.page.getByLabel('Light or dark').click();
        }
        await shown.page.getByLabel('Light or dark').click();
        await shown.page.reload();
        await shown.page.waitForSelector('main > *');
        assert.equal(await theme(), 'dark');
        await shown.close();
    },

    async 'keys without focus go to the main chart, and the page keeps its place'() {
        const shown = await open('#blocks');
        const [{ shown: blocks, typical }] = data.runs[0].blocks;
        const domain = Math.max(blocks[typical].domain, blocks[1].domain);
        await shown.page.keyboard.press('+');
        const [from, to] = await shownRange(shown);
        assert.equal(to - from + 1, Math.round(domain / 2));
        await shown.page.evaluate(() => scrollTo(0, 100));
        await shown.page.locator('#block-6').click();
        await shown.page.waitForURL(/block=7/);
        assert.equal(await shown.page.evaluate(() => scrollY), 100);
        await shown.page.keyboard.press('End');
        assert.deepEqual(await shownRange(shown), [1, blocks[6].domain]);
        await shown.close();
    },

    async 'the keyboard alone: help, views, focus'() {
        const shown = await open('');
        await shown.page.keyboard.press('?');
        assert.ok(await shown.page.getByRole('dialog').isVisible());
        await shown.page.keyboard.press('Escape');
        assert.ok(!await shown.page.getByRole('dialog').isVisible());
        await shown.page.keyboard.press('Tab');
        const visit = async views => {
            for (const view of views) {
                const hash = await shown.page.evaluate(() => document.activeElement.hash);
                assert.equal(hash.split('?')[0], `#${view}`);
                await shown.page.keyboard.press('Enter');
                await shown.page.locator(`nav a[aria-current=page][href^="#${view}"]`).waitFor();
                await shown.page.keyboard.press('Tab');
            }
        };
        await visit([...SECTIONS, 'counts', 'reuse']);
        await shown.page.locator('nav.second a').first().focus();
        await visit(BEHIND_REUSE);
        await shown.close();
    },

    async 'the network is out of reach'() {
        const shown = await open('');
        const refused = await shown.page.evaluate(() => new Promise(resolve => {
            document.addEventListener('securitypolicyviolation',
                event => resolve(event.effectiveDirective));
            new Image().src = 'https://heddle.invalid/picture.png';
        }));
        assert.equal(refused, 'img-src');
        await shown.context.close();
    },

    async 'a page that lost its data says so'() {
        const broken = join(folder, 'broken.html');
        const text = readFileSync(file, 'utf8');
        writeFileSync(broken, text.replace(/(id="heddle-data">.{200})[^<]*/, '$1'));
        const shown = await Shown.open(browser, broken, '', {}, '[role=alert]');
        assert.match(await shown.page.locator('[role=alert]').innerText(),
            /^This report cannot be shown: /);
        await shown.close();
    },
};

/** Run in the page: contrasts of the colours of text, as WCAG 2 defines them. */
function contrasts() {
    const luminance = name => {
        const colour = getComputedStyle(document.documentElement).getPropertyValue(name).trim();
        const [r, g, b] = [1, 3, 5].map(at => parseInt(colour.slice(at, at + 2), 16) / 255)
            .map(part => part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
        return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const contrast = (text, ground) => {
        const [high, low] = [luminance(text), luminance(ground)].sort((a, b) => b - a);
        return [`${text} on ${ground}`, (high + 0.05) / (low + 0.05)];
    };
    return ['--text', '--quiet', '--accent', '--second'].flatMap(text =>
        ['--ground', '--raised'].map(ground => contrast(text, ground)));
}

/** Run in the page: contrasts of the text of elements to their grounds, colours as `r g b`. */
function contrastsOf(list) {
    const luminance = text => {
        const parts = text.match(/[\d.]+/g).slice(0, 3).map(Number);
        const [r, g, b] = parts.map(part => text.startsWith('rgb') ? part / 255 : part)
            .map(part => part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
        return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    return list.filter(element => element.textContent).map(element => {
        const { color, backgroundColor } = getComputedStyle(element);
        const [high, low] = [luminance(color), luminance(backgroundColor)].sort((a, b) => b - a);
        return (high + 0.05) / (low + 0.05);
    });
}

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

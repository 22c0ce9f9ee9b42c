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

const VIEWS = ['overview', 'reuse', 'scenarios', 'blocks', 'compare', 'cache', 'addresses'];

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

    async 'overview: totals, accesses and launches'() {
        const shown = await open('');
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
        assert.equal(await shown.page.locator('.warning').count(), data.runs[0].complete ? 0 : 1);
        await shown.page.locator('#choose-run').selectOption({ index: 1 });
        assert.equal(await shown.figure('mis'), count(data.runs[1].totals.mis));
        assert.equal(await shown.page.locator('.warning').count(), data.runs[1].complete ? 0 : 1);
        await shown.close();
    },

    async 'names are never markup'() {
        const shown = await open('#overview?run=2');
        const hostile = data.runs[1].name;
        assert.ok(hostile.includes('<img'));
        assert.equal(await shown.page.locator('h1').innerText(), hostile);
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

    async 'every view of every run, light and dark, on two kinds of screen'() {
        const small = { width: 1000, height: 800 };
        for (const options of [{ colorScheme: 'light' },
            { colorScheme: 'dark', deviceScaleFactor: 2, viewport: small }]) {
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
        for (const view of VIEWS) {
            const hash = await shown.page.evaluate(() => document.activeElement.hash);
            assert.equal(hash.split('?')[0], `#${view}`);
            await shown.page.keyboard.press('Enter');
            await shown.page.locator(`nav a[aria-current=page][href^="#${view}"]`).waitFor();
            await shown.page.keyboard.press('Tab');
        }
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

/* A chromium, and what the checks ask of a page in it. */
import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

export async function launch(modules, executablePath) {
    const { chromium } = createRequire(join(modules, 'anything.js'))('playwright-core');
    return chromium.launch({ executablePath, args: ['--no-sandbox'] });
}

/** A page of the file with everything recorded that a quiet one would not do. */
export class Shown {
    static async open(browser, file, hash = '', options = {}, ready = 'main > *') {
        const shown = new Shown();
        const viewport = { width: 1280, height: 900 };
        shown.context = await browser.newContext({ viewport, ...options });
        shown.page = await shown.context.newPage();
        shown.address = pathToFileURL(file).href;
        shown.complaints = [];
        const complain = text => shown.complaints.push(text);
        shown.page.on('console', message => complain(`console: ${message.text()}`));
        shown.page.on('pageerror', error => complain(`error: ${error.message}`));
        shown.page.on('request', request => {
            if (request.url().split('#')[0] !== shown.address)
                complain(`request: ${request.url().slice(0, 200)}`);
        });
        shown.ready = ready;
        await shown.goto(hash);
        return shown;
    }

    async goto(hash) {
        await this.page.goto(this.address + hash);
        await this.page.waitForSelector(this.ready);
    }

    /** Ends with the page; it must have been quiet. */
    async close() {
        await this.context.close();
        assert.deepEqual(this.complaints, []);
    }

    /** The figure `name` within `scope`. */
    figure(name, scope = 'main') {
        return this.page.locator(`${scope} [data-figure="${name}"] dd`).first().innerText();
    }

    /** Waits until the figure `name` is `text`. */
    async expectFigure(name, text, scope = 'main') {
        let got = '';
        for (let tries = 0; tries < 100; tries++) {
            got = await this.figure(name, scope);
            if (got === text)
                return;
            await this.page.waitForTimeout(20);
        }
        assert.equal(got, text, `figure ${name}`);
    }

    /** The texts of a table's cells, row by row, as soon as there are any. */
    async cells(key) {
        const rows = this.page.locator(`[data-table="${key}"] tbody tr`);
        await rows.first().waitFor();
        return rows.evaluateAll(list =>
            list.map(row => [...row.cells].map(cell => cell.textContent)));
    }

    /** How many canvases there are, and how many of them have no pixels of more than one colour. */
    canvases() {
        return this.page.locator('main canvas').evaluateAll(list => {
            const pixels = canvas => {
                const { width, height } = canvas;
                return canvas.getContext('2d').getImageData(0, 0, width, height).data.buffer;
            };
            const blank = list.filter(canvas => new Set(new Uint32Array(pixels(canvas))).size < 2);
            return { count: list.length, blank: blank.length };
        });
    }

    /** Waits until every canvas, at least `least` of them, has been drawn. */
    async expectDrawn(least = 1) {
        let found = await this.canvases();
        for (let tries = 0; tries < 200 && (found.blank || found.count < least); tries++) {
            await this.page.waitForTimeout(20);
            found = await this.canvases();
        }
        assert.equal(found.blank, 0, 'blank canvases');
        assert.ok(found.count >= least, `${found.count} canvases, not ${least}`);
    }

    /** Moves the mouse to a place in an element, by shares of its width and height. */
    async point(selector, x, y = 0.5) {
        const target = this.page.locator(selector).first();
        await target.scrollIntoViewIfNeeded();
        const box = await target.boundingBox();
        await this.page.mouse.move(box.x + x * box.width, box.y + y * box.height);
    }

    /** Drags over a chart's plotting area, from and to shares of its width (and height). */
    async drag(selector, [fromX, fromY = 0.5], [toX, toY = 0.5]) {
        await this.page.locator(selector).first().scrollIntoViewIfNeeded();
        const box = await this.page.locator(selector).first().boundingBox();
        const at = (x, y) => [box.x + x * box.width, box.y + y * box.height];
        await this.page.mouse.move(...at(fromX, fromY));
        await this.page.mouse.down();
        await this.page.mouse.move(...at((fromX + toX) / 2, (fromY + toY) / 2));
        await this.page.mouse.move(...at(toX, toY));
        await this.page.mouse.up();
    }
}

/*
 * Makes the page's template, as src/CMakeLists.txt runs it:
 *
 *     node bundle.mjs MODULES OUTPUT
 *
 * esbuild bundles main.js and style.css, with uPlot from the folder MODULES;
 * both go into template.html, and the whole, as a list of bytes that C can
 * include, into the file OUTPUT. The same sources give the same bytes.
 */
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const folder = dirname(fileURLToPath(import.meta.url));
const [modules, output] = process.argv.slice(2);
const esbuild = createRequire(join(modules, 'anything.js'))('esbuild');

/** The text of `entry` with everything that it imports. */
async function bundle(entry) {
    const result = await esbuild.build({
        entryPoints: [join(folder, entry)],
        absWorkingDir: folder,
        nodePaths: [modules],
        bundle: true,
        minify: true,
        write: false,
        format: 'esm',
        charset: 'utf8',
        target: ['chrome103', 'firefox115', 'safari16.4'],
    });
    return result.outputFiles[0].text.trim();
}

/** What a Content-Security-Policy calls an inline script or style. */
const hash = text => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

/** Puts `text` where `mark` stands, which must be in one place only. */
function fill(page, mark, text) {
    if (page.split(mark).length !== 2)
        throw new Error(`template.html: '${mark}' must stand there once`);
    return page.split(mark).join(text);
}

const script = await bundle('main.js');
const style = await bundle('style.css');
if (/<\/script|<!--/i.test(script) || /<\/style/i.test(style))
    throw new Error('the bundle has a text that would end its element early');

let page = readFileSync(join(folder, 'template.html'), 'utf8');
page = fill(page, '@LICENSE@', readFileSync(join(modules, 'uplot', 'LICENSE'), 'utf8').trim());
page = fill(page, '@SCRIPT_HASH@', hash(script));
page = fill(page, '@STYLE_HASH@', hash(style));
page = fill(page, '@STYLE@', style);
page = fill(page, '@SCRIPT@', script);
fill(page, 'id="heddle-data">', ''); // src/cli/report/page.c looks for it
const numbers = Int8Array.from(Buffer.from(page)).join(',');
writeFileSync(output, `${numbers.replace(/(.{96}[-\d]*,)/g, '$1\n')}\n`);

/*
 * Bars of a long series, as many as there are pixels: where distances are narrower than a pixel,
 * a column of pixels shows the highest (and the lowest negative) value of all of its distances.
 */
import { lower } from './series.js';

/** Bars are separate when a distance is at least this many pixels wide. */
const SEPARATE = 3;
const WIDEST = 40;

/**
 * Calls draw(left, width, low, high) for every bar of (x, y) with x in `min` to `max`, which
 * `left` and `width` say the pixels of. Of several series (`of`), number `slot` stands beside the
 * others where there is room, and in front of them where not.
 */
export function eachBar(x, y, { min, max, left, width, pixel = 1, slot = 0, of = 1 }, draw) {
    const unit = width / (max - min);
    const first = lower(x, min), end = lower(x, max);
    if (unit >= SEPARATE * of * pixel)
        separate(x, y, first, end, { min, left, unit, pixel, slot, of }, draw);
    else
        columns(x, y, first, end, { min, left, unit, pixel }, draw);
}

function separate(x, y, first, end, { min, left, unit, pixel, slot, of }, draw) {
    const group = Math.min(0.8 * unit, WIDEST * of * pixel);
    const each = Math.max(pixel, Math.floor(group / of));
    for (let i = first; i < end; i++) {
        const start = Math.round(left + (x[i] - min) * unit - each * of / 2) + slot * each;
        draw(start, each, Math.min(y[i], 0), Math.max(y[i], 0));
    }
}

function columns(x, y, first, end, { min, left, unit, pixel }, draw) {
    for (let i = first; i < end;) {
        const column = Math.floor((x[i] - min) * unit / pixel);
        let low = 0, high = 0;
        for (; i < end && Math.floor((x[i] - min) * unit / pixel) === column; i++) {
            low = Math.min(low, y[i]);
            high = Math.max(high, y[i]);
        }
        draw(left + column * pixel, pixel, low, high);
    }
}

/**
 * A small picture of bars alone, without axes, as thumbnails and overviews are. share(value): what
 * part of the height it gets.
 */
export function drawBars(canvas, { x, y }, { min, max, share, colour }) {
    const context = canvas.getContext('2d');
    const { width, height } = canvas;
    context.fillStyle = colour;
    const place = { min, max, left: 0, width, pixel: devicePixelRatio };
    eachBar(x, y, place, (left, wide, low, high) => {
        const tall = Math.max(1, Math.round(share(high) * (height - 1)));
        context.fillRect(left, height - tall, wide, tall);
    });
}

/** Gives a canvas as many pixels as its place on the screen has, and clears it. */
export function fitCanvas(canvas) {
    canvas.width = Math.max(1, Math.round(canvas.clientWidth * devicePixelRatio));
    canvas.height = Math.max(1, Math.round(canvas.clientHeight * devicePixelRatio));
    return canvas.getContext('2d');
}

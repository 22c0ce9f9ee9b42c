/* Figures as people read them. Integers stand in full; only axes and overviews round. */

const whole = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 });
const fine = new Intl.NumberFormat('en-US', { maximumFractionDigits: 3 });
const rounded = new Intl.NumberFormat('en-US', { maximumSignificantDigits: 4 });

/** "1,234,567"; what a double cannot hold exactly gets a sign that says so. */
export function count(value) {
    if (value === null)
        return '–';
    return (Math.abs(value) > Number.MAX_SAFE_INTEGER ? '≈ ' : '') + whole.format(value);
}

/** "+12", "-3", "0". */
export const signed = value => (value > 0 ? '+' : '') + count(value);

/** A real: "12.346"; below one four digits that count. */
export function real(value) {
    if (value === null || !Number.isFinite(value))
        return '–';
    return (Math.abs(value) < 1 ? rounded : fine).format(value);
}

/** A real with few digits: "0.0123", "1.23", "1,230". */
export const digits = (value, count = 3) =>
    new Intl.NumberFormat('en-US', { maximumSignificantDigits: count }).format(value);

/** "1.23 ms" */
export function seconds(value) {
    const units = ['s', 'ms', 'µs', 'ns'];
    let unit = 0;
    for (; value < 1 && unit < units.length - 1; unit++)
        value *= 1000;
    return `${digits(value)} ${units[unit]}`;
}

/** "12.3%"; null and 0/0 are a dash. */
export function percent(share) {
    return share === null || !Number.isFinite(share) ? '–' : (100 * share).toFixed(1) + '%';
}

/** "+12.3%", what b is more than a; a dash where a is 0. */
export function change(a, b) {
    const share = (b - a) / a;
    return a === 0 || !Number.isFinite(share) ? '–' : (share > 0 ? '+' : '') + percent(share);
}

/** "512", "48 Ki", "1.5 Mi": in powers of 1,024. */
export function binary(value) {
    const units = ['', ' Ki', ' Mi', ' Gi', ' Ti', ' Pi'];
    let unit = 0;
    while (value >= 1024 && unit < units.length - 1) {
        value /= 1024;
        unit++;
    }
    return rounded.format(value) + units[unit];
}

/** "128 B", "48 KiB", "1.5 MiB". */
export const bytes = value => binary(value) + (value < 1024 ? ' B' : 'B');

/** For axes: "950", "1.25k", "3M". */
export function compact(value) {
    const units = ['', 'k', 'M', 'G', 'T', 'P'];
    let unit = 0;
    while (Math.abs(value) >= 1000 && unit < units.length - 1) {
        value /= 1000;
        unit++;
    }
    return rounded.format(value) + units[unit];
}

/** "32 × 8". */
export const sizes = list => list.length ? list.map(count).join(' × ') : '–';

/** "0x10000". */
export const hex = value => `0x${value.toString(16)}`;

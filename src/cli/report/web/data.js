/* The data that `heddle report` has put into the page; docs/report.md says what it is. */

/** @returns {Promise<Object>} */
export async function unpack() {
    const text = atob(document.getElementById('heddle-data').textContent.trim());
    if (!text)
        throw new Error('there is no data in this page; heddle report puts it there');
    if (!('DecompressionStream' in window))
        throw new Error('this browser cannot unpack the data; use one of 2023 or newer');
    const bytes = Uint8Array.from(text, letter => letter.charCodeAt(0));
    const plain = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'));
    return JSON.parse(await new Response(plain).text());
}

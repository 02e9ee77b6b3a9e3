// SPDX-License-Identifier: Apache-2.0
//
// node page.mjs PAGE.html OUTDIR: opens a report's page, uses it as a reader would, and leaves pictures of it in OUTDIR.
// Ends with 0 if all is well; otherwise says what is not.
import assert from 'node:assert/strict';
import {existsSync, mkdirSync, readFileSync, statSync, writeFileSync} from 'node:fs';
import {join, resolve} from 'node:path';
import {pathToFileURL} from 'node:url';
import {until, withBrowser} from './browser.mjs';

const [file, outDirectory] = process.argv.slice(2);
const address = pathToFileURL(resolve(file)).href;
mkdirSync(outDirectory, {recursive: true});
const keep = (name, bytes) => writeFileSync(join(outDirectory, name), bytes);
const count = (page, selector) => page.evaluate(`document.querySelectorAll(${JSON.stringify(selector)}).length`);

/// Scrolls through, as drawings come alive near the screen.
async function drawAll(page) {
  const nCharts = await count(page, '.chart');
  await until('every drawing is live', async () => {
    await page.evaluate(`document.querySelector('.chart:not(.live)')?.scrollIntoView({behavior: 'instant'})`);
    return await count(page, '.chart.live svg') === nCharts;
  });
  await page.evaluate('scrollTo({top: 0, behavior: "instant"})');
  return nCharts;
}

async function legendsFade(page) {
  if (await count(page, '#gap .keys button') === 0) return;
  const opacities = `[...document.querySelectorAll('#gap .chart .mark-line path')].map((path) => path.getAttribute('opacity') ?? getComputedStyle(path).opacity).join()`;
  const before = await page.evaluate(opacities);
  await page.click('#gap .keys button');
  await until('a click on a legend fades a line', async () => await page.evaluate(opacities) !== before);
  assert.equal(await page.evaluate(`document.querySelector('#profile .keys button')?.getAttribute('aria-pressed') ?? 'false'`), 'false', 'a choice holds for all figures');
  await page.click('#gap .keys button');
  await until('a second click brings it back', async () => await page.evaluate(opacities) === before);
}

async function tablesSort(page) {
  const table = 'figure.table:not(details *) table.sortable';
  if (await count(page, table) === 0) return;
  const last = await page.evaluate(`document.querySelector('${table}').tHead.rows[document.querySelector('${table}').tHead.rows.length - 1].cells.length`);
  const head = `${table} thead tr:last-child th:nth-child(${Math.min(2, last)})`;
  const values = `[...document.querySelector('${table}').tBodies].map((body) => [...body.rows].filter((row) => !row.classList.contains('section')).map((row) => row.cells[${Math.min(2, last) - 1}].dataset.value).filter((value) => value !== undefined).map(Number))`;
  const before = JSON.stringify(await page.evaluate(values));
  for (const [order, sign] of [['ascending', 1], ['descending', -1]]) {
    await page.click(`${head} button`);
    await until(`the table is ${order}`, async () => await page.evaluate(`document.querySelector(${JSON.stringify(head)}).getAttribute('aria-sort')`) === order);
    for (const body of await page.evaluate(values)) assert.deepEqual(body, body.toSorted((a, b) => sign * (a - b)), order);
  }
  await page.evaluate(`document.querySelector(${JSON.stringify(head + ' button')}).focus()`);
  await page.press('Enter');
  await until('the third time, by key, brings the order back', async () => JSON.stringify(await page.evaluate(values)) === before);
}

async function decisionsStep(page) {
  if (await count(page, '#decisions') === 0) return;
  const shown = (place) => until(`decision ${place} is drawn`, async () => await page.evaluate(`document.querySelector('#decisions').dataset.shown`) === place);
  const words = `document.querySelector('#decisions-words').textContent`;
  await shown('0:0');
  const first = await page.evaluate(words), drawn = await page.evaluate(`document.querySelector('#decisions-detail').innerHTML`);
  await page.click('#decisions-next');
  await shown('0:1');
  assert.notEqual(await page.evaluate(words), first);
  assert.notEqual(await page.evaluate(`document.querySelector('#decisions-detail').innerHTML`), drawn);
  await page.press('ArrowLeft');
  await shown('0:0');
  assert.equal(await page.evaluate(words), first);
  if (await count(page, '#decisions-run option') > 1) {
    await page.evaluate(`(() => { const s = document.querySelector('#decisions-run'); s.selectedIndex = 1; s.dispatchEvent(new Event('change')); })()`);
    await shown('1:0');
    await page.evaluate(`(() => { const s = document.querySelector('#decisions-run'); s.selectedIndex = 0; s.dispatchEvent(new Event('change')); })()`);
    await shown('0:0');
  }
}

async function tipsShow(page) {
  if (await count(page, '#nodes .chart.live') === 0) return;
  await page.evaluate(`document.querySelector('#nodes .chart').scrollIntoView({block: 'center', behavior: 'instant'})`);
  const [x, y] = await page.evaluate(`(() => { const r = document.querySelector('#nodes .chart .mark-symbol path').getBoundingClientRect(); return [r.x + r.width / 2, r.y + r.height / 2]; })()`);
  await until('a tool tip is shown', async () => {
    await page.hover(x + Math.random(), y);
    return page.evaluate(`document.querySelector('.tip:not([hidden]) dd') !== null`);
  });
  await page.hover(2, 2);
}

async function downloadsWork(page) {
  if (await count(page, '#gap details') === 0) return;
  const directory = resolve(outDirectory);
  await page.send('Browser.setDownloadBehavior', {behavior: 'allow', downloadPath: directory});
  await page.evaluate(`document.querySelector('#gap details').open = true`);
  await page.click('#gap details a[download]');
  const file = join(directory, 'gap.csv');
  await until('the CSV is there, with something in it', () => existsSync(file) && statSync(file).size > 0);
  assert.match(readFileSync(file, 'utf8'), /^section,seconds,/);
  await page.evaluate(`document.querySelector('#gap details').open = false`);
}

/// The part of a picture that the documents show, if the page has it.
async function detail(page, name, from, to) {
  if (await count(page, from) > 0 && await count(page, to) > 0) keep(name, await page.picture(from, to));
}

await withBrowser(async (page) => {
  await page.resize(1200, 900);
  await page.prefer('light');
  await page.open(address);
  const nCharts = await drawAll(page);
  await legendsFade(page);
  await tablesSort(page);
  await decisionsStep(page);
  await tipsShow(page);
  await downloadsWork(page);
  await page.evaluate('scrollTo({top: 0, behavior: "instant"})');
  keep('wide.png', await page.picture());
  await detail(page, 'report-wide.png', 'header', '#ratios');

  await page.prefer('dark');
  assert.notEqual(await page.evaluate('getComputedStyle(document.body).backgroundColor'), 'rgb(255, 255, 255)');
  keep('dark.png', await page.picture());
  await detail(page, 'report-dark.png', '#gap', '#scatter');

  await page.prefer('light');
  await page.resize(390, 844, {mobile: true, scale: 2});
  await page.open(address);
  await drawAll(page);
  assert.equal(await page.evaluate('document.documentElement.scrollWidth'), 390, 'nothing is wider than a telephone');
  keep('phone.png', await page.picture());
  await detail(page, 'report-phone.png', '#decisions', '#candidates');

  // Without JavaScript all is there to be read.
  await page.resize(1200, 900);
  await page.send('Emulation.setScriptExecutionDisabled', {value: true});
  await page.open(address);
  assert.equal(await count(page, '.chart > svg'), nCharts);
  assert.equal(await count(page, '.live'), 0);
  assert.ok(await page.evaluate(`[...document.querySelectorAll('.chart > svg, figure.table:not(details *)')].every((e) => e.getBoundingClientRect().height > 20)`), 'drawings and tables can be seen');
  keep('static.png', await page.picture());

  assert.deepEqual(page.problems, []);
  assert.deepEqual([...new Set(page.requests.filter((url) => !url.startsWith('data:')))], [address], 'nothing is loaded from anywhere');
  console.log(`${nCharts} drawings`);
});

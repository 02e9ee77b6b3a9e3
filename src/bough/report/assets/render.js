// SPDX-License-Identifier: Apache-2.0
//
// Run by the report's writer: a JSON array of Vega-Lite specifications on stdin, an array of {svg, vega} on stdout.
'use strict';
const vega = require('vega');
const vegaLite = require('vega-lite');

async function draw(spec) {
  const compiled = vegaLite.compile(spec).spec;
  delete compiled.$schema; // an address, and the page has none
  const svg = await new vega.View(vega.parse(compiled), {renderer: 'none'}).toSVG();
  return {svg, vega: compiled};
}

async function main() {
  let text = '';
  for await (const chunk of process.stdin.setEncoding('utf8')) text += chunk;
  const drawings = [];
  for (const spec of JSON.parse(text)) drawings.push(await draw(spec));
  process.stdout.write(JSON.stringify(drawings));
}

main().catch((error) => {
  console.error(error.stack);
  process.exitCode = 1;
});

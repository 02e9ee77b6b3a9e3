// SPDX-License-Identifier: Apache-2.0
//
// Makes the page's drawings live, its legends and tables respond, and steps through decisions.  All of it can be read without.
// Text from the records goes into the page as textContent, never as markup.
'use strict';
(() => {
  const $ = (id) => document.getElementById(id);
  const data = (id) => JSON.parse($(id).textContent);
  const element = (name, className, text) => {
    const made = document.createElement(name);
    if (className) made.className = className;
    if (text !== undefined) made.textContent = text;
    return made;
  };

  // Tool tips.
  const tip = document.body.appendChild(element('div', 'tip'));
  tip.hidden = true;
  tip.setAttribute('role', 'status');
  function showTip(handler, event, item, value) {
    tip.hidden = value === null || value === undefined || value === '';
    if (tip.hidden) return;
    const list = element('dl');
    const entries = typeof value === 'object' ? Object.entries(value) : [['', value]];
    for (const [name, text] of entries) list.append(element('dt', '', name), element('dd', '', String(text)));
    tip.replaceChildren(list);
    const touch = event.changedTouches ? event.changedTouches[0] : event;
    const space = 12;
    const right = document.documentElement.clientWidth - tip.offsetWidth - space;
    const above = touch.clientY - tip.offsetHeight - space;
    tip.style.left = `${Math.max(space, Math.min(touch.clientX + space, right))}px`;
    tip.style.top = `${above > space ? above : touch.clientY + 2 * space}px`;
  }

  // Live drawings, made when they come near the screen: a page may have a hundred.
  const hidden = {policy: new Set(), part: new Set()};
  const live = new Map(); // the drawing's element: a promise of its view
  function makeLive(chart) {
    if (live.has(chart)) return live.get(chart);
    const made = (async () => {
      const runtime = vega.parse(data(chart.dataset.spec), null, {ast: true});
      const stage = element('div', 'stage');
      const view = new vega.View(runtime, {expr: vega.expressionInterpreter, renderer: 'svg', hover: true, tooltip: showTip});
      view.signal('hidden', [...(hidden[chart.dataset.key] || [])]);
      await view.initialize(stage).runAsync();
      chart.replaceChildren(stage);
      chart.classList.add('live');
      return view;
    })();
    live.set(chart, made);
    return made;
  }
  const nearby = new IntersectionObserver((entries) => {
    for (const entry of entries) {
      if (!entry.isIntersecting) continue;
      nearby.unobserve(entry.target);
      makeLive(entry.target);
    }
  }, {rootMargin: '600px'});
  for (const chart of document.querySelectorAll('.chart')) nearby.observe(chart);
  window.addEventListener('scroll', () => { tip.hidden = true; }, {passive: true});

  // Legends: one choice for all figures that have the same keys.
  function applyHidden(key) {
    for (const button of document.querySelectorAll(`.keys[data-key="${key}"] button`)) {
      button.setAttribute('aria-pressed', String(!hidden[key].has(button.dataset.label)));
    }
    for (const [chart, made] of live) {
      if (chart.dataset.key === key) made.then((view) => view.signal('hidden', [...hidden[key]]).runAsync());
    }
  }
  for (const keys of document.querySelectorAll('.keys')) {
    const key = keys.dataset.key;
    const labels = [...keys.children].map((item) => item.dataset.label);
    for (const item of keys.children) {
      const label = item.dataset.label;
      const button = element('button');
      button.type = 'button';
      button.dataset.label = label;
      button.title = 'click: fade or show; double-click: this one alone';
      button.setAttribute('aria-pressed', 'true');
      button.append(...item.childNodes);
      item.append(button);
      button.addEventListener('click', () => {
        if (!hidden[key].delete(label)) hidden[key].add(label);
        applyHidden(key);
      });
      button.addEventListener('dblclick', () => {
        hidden[key] = new Set(labels.filter((other) => other !== label));
        applyHidden(key);
      });
    }
  }

  // Tables: a click sorts up, the next down, the third as it was; sections keep together.
  function compareCells(a, b, direction) {
    const x = a.dataset.value, y = b.dataset.value;
    if (x !== undefined && y !== undefined) return direction * (Number(x) - Number(y));
    if (x !== undefined || y !== undefined) return x !== undefined ? -1 : 1; // what has no number is last, both ways
    return direction * a.textContent.localeCompare(b.textContent, 'en', {numeric: true});
  }
  function sortTable(table, column, direction) {
    for (const body of table.tBodies) {
      const rows = [...body.rows].filter((row) => !row.classList.contains('section'));
      rows.forEach((row, place) => { row.dataset.place ??= place; });
      if (direction === 0) rows.sort((a, b) => a.dataset.place - b.dataset.place);
      else rows.sort((a, b) => compareCells(a.cells[column], b.cells[column], direction));
      body.append(...rows);
    }
  }
  for (const table of document.querySelectorAll('table.sortable')) {
    const heads = [...table.tHead.rows[table.tHead.rows.length - 1].cells];
    heads.forEach((head, column) => {
      const button = element('button', 'sort');
      button.type = 'button';
      button.append(...head.childNodes);
      head.append(button);
      button.addEventListener('click', () => {
        const next = {ascending: 'descending', descending: 'none'}[head.getAttribute('aria-sort')] || 'ascending';
        for (const other of heads) other.removeAttribute('aria-sort');
        if (next !== 'none') head.setAttribute('aria-sort', next);
        sortTable(table, column, {ascending: 1, descending: -1, none: 0}[next]);
      });
    });
  }

  // Decisions.
  const section = $('decisions');
  if (!section) return;
  const {fields, runs} = data('decisions-json');
  const overview = $('decisions-overview'), detail = $('decisions-detail');
  const choice = $('decisions-run'), step = $('decisions-step');
  const previous = $('decisions-previous'), next = $('decisions-next');
  section.querySelector('.stepper').hidden = false;
  let run = 0, place = 0;
  const digits = (value) => (value === null ? '–' : String(Number(value.toPrecision(4))));

  async function showDecision() {
    const {overview: points, decisions} = runs[run];
    const decision = decisions[place];
    const rows = decision.candidates.map((values) => Object.fromEntries(fields.map((name, i) => [name, values[i]])));
    step.textContent = `${place + 1} of ${decisions.length}`;
    previous.disabled = place === 0;
    next.disabled = place === decisions.length - 1;
    $('decisions-words').textContent = decision.words;
    const known = points.filter((point) => point.rank !== null);
    $('decisions-agreement').textContent = known.length === 0 ? '' :
      `The expert agrees with ${known.filter((point) => point.agrees).length} of ${known.length} choices in this run.`;
    const body = section.querySelector('#candidates tbody');
    body.replaceChildren(...rows.slice(0, 8).map((candidate) => {
      const row = element('tr');
      const name = row.appendChild(element('th'));
      name.scope = 'row';
      name.append(candidate.chosen ? element('strong', '', candidate.name) : candidate.name);
      for (const field of ['value', 'score', 'expertScore', 'expert']) {
        const cell = row.appendChild(element('td', '', digits(candidate[field])));
        if (candidate[field] !== null) cell.dataset.value = candidate[field];
      }
      return row;
    }));
    const [above, below] = await Promise.all([makeLive(overview), makeLive(detail)]);
    if (runs[run].decisions[place] !== decision) return; // stepped on meanwhile
    await above.data('points', points.map((point) => ({...point}))).signal('selected', points[place].decision).runAsync();
    await below.data('candidates', rows).runAsync();
    section.dataset.shown = `${run}:${place}`; // drawn
  }
  function goTo(decision) {
    place = Math.max(0, Math.min(decision, runs[run].decisions.length - 1));
    showDecision();
  }
  choice.addEventListener('change', () => {
    run = choice.selectedIndex;
    goTo(0);
  });
  previous.addEventListener('click', () => goTo(place - 1));
  next.addEventListener('click', () => goTo(place + 1));
  section.addEventListener('keydown', (event) => {
    if (event.target === choice || event.altKey || event.ctrlKey || event.metaKey) return;
    const steps = {ArrowLeft: -1, ArrowRight: 1};
    if (!(event.key in steps)) return;
    event.preventDefault();
    goTo(place + steps[event.key]);
  });
  makeLive(overview).then((view) => view.addEventListener('click', (event, item) => {
    if (item && item.datum && item.datum.decision !== undefined) goTo(runs[run].overview.findIndex((point) => point.decision === item.datum.decision));
  }));
  showDecision();
})();

// SPDX-License-Identifier: Apache-2.0
//
// A headless Chromium and one page in it, over the DevTools protocol, with nothing but nodejs.
import {spawn} from 'node:child_process';
import {mkdtempSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';

// Generous: a busy machine is slow, not wrong.
const patience = 120_000;

export async function until(what, condition) {
  const end = Date.now() + patience;
  for (;;) {
    const found = await condition();
    if (found) return found;
    if (Date.now() > end) throw new Error(`waited in vain until ${what}`);
    await new Promise((done) => setTimeout(done, 50));
  }
}

/// Starts the browser, calls body(page) and ends both, however it goes.
export async function withBrowser(body) {
  const profile = mkdtempSync(join(tmpdir(), 'bough-browser-'));
  const flags = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync', '--disable-dev-shm-usage'];
  const browser = spawn('chromium-headless-shell', [...flags, `--user-data-dir=${profile}`, '--remote-debugging-port=0', 'about:blank'], {stdio: ['ignore', 'ignore', 'pipe'], detached: true});
  const ended = new Promise((done) => browser.once('exit', done));
  try {
    const address = await new Promise((done, fail) => {
      let text = '';
      browser.once('error', fail);
      browser.once('exit', (code) => fail(new Error(`the browser ended (${code}): ${text}`)));
      browser.stderr.setEncoding('utf8').on('data', (chunk) => {
        text += chunk;
        const found = /DevTools listening on (ws:\S+)/.exec(text);
        if (found) done(found[1]);
      });
    });
    const socket = new WebSocket(address);
    await new Promise((done, fail) => { socket.onopen = done; socket.onerror = () => fail(new Error('no connection to the browser')); });
    const page = new Page(socket);
    await page.attach();
    await body(page).catch((error) => {
      throw new Error(`${error.message}\n${page.problems.join('\n')}`, {cause: error});
    });
    socket.close();
  } finally {
    process.kill(-browser.pid, 'SIGKILL'); // with its helpers, which would keep the pipe open
    browser.stderr.destroy();
    await ended;
    rmSync(profile, {recursive: true, force: true, maxRetries: 10, retryDelay: 100});
  }
}

class Page {
  #socket;
  #session;
  #waiting = new Map();
  #n = 0;
  #loaded = 0;
  problems = []; // errors on the console, exceptions, violations of the security policy
  requests = []; // addresses

  constructor(socket) {
    this.#socket = socket;
    socket.onmessage = (event) => this.#receive(JSON.parse(event.data));
  }

  #receive(message) {
    if (message.id) {
      const {done, fail} = this.#waiting.get(message.id);
      this.#waiting.delete(message.id);
      if (message.error) fail(new Error(message.error.message));
      else done(message.result);
      return;
    }
    const {method, params} = message;
    if (method === 'Page.loadEventFired') ++this.#loaded;
    if (method === 'Runtime.exceptionThrown') this.problems.push(`exception: ${params.exceptionDetails.exception?.description ?? params.exceptionDetails.text}`);
    if (method === 'Runtime.consoleAPICalled' && ['error', 'warning', 'assert'].includes(params.type)) this.problems.push(`console: ${params.args.map((a) => a.value ?? a.description).join(' ')}`);
    if (method === 'Log.entryAdded' && ['error', 'warning'].includes(params.entry.level)) this.problems.push(`log: ${params.entry.text} ${params.entry.url ?? ''}`);
    if (method === 'Network.requestWillBeSent') this.requests.push(params.request.url);
  }

  send(method, params = {}) {
    const id = ++this.#n;
    this.#socket.send(JSON.stringify({id, method, params, ...(this.#session && {sessionId: this.#session})}));
    return new Promise((done, fail) => this.#waiting.set(id, {done, fail}));
  }

  async attach() {
    const {targetId} = await this.send('Target.createTarget', {url: 'about:blank'});
    this.#session = (await this.send('Target.attachToTarget', {targetId, flatten: true})).sessionId;
    for (const domain of ['Page', 'Runtime', 'Log', 'Network']) await this.send(`${domain}.enable`);
  }

  async open(address) {
    const before = this.#loaded;
    await this.send('Page.navigate', {url: address});
    await until('the page is loaded', () => this.#loaded > before);
  }

  async evaluate(expression) {
    const {result, exceptionDetails} = await this.send('Runtime.evaluate', {expression, returnByValue: true, awaitPromise: true});
    if (exceptionDetails) throw new Error(`${expression}: ${exceptionDetails.exception?.description ?? exceptionDetails.text}`);
    return result.value;
  }

  /// A real click in the middle of the element.
  async click(selector) {
    const [x, y] = await this.evaluate(`(() => { const e = document.querySelector(${JSON.stringify(selector)}); e.scrollIntoView({block: 'center', behavior: 'instant'}); const r = e.getBoundingClientRect(); return [r.x + r.width / 2, r.y + r.height / 2]; })()`);
    for (const type of ['mouseMoved', 'mousePressed', 'mouseReleased']) await this.send('Input.dispatchMouseEvent', {type, x, y, button: type === 'mouseMoved' ? 'none' : 'left', clickCount: type === 'mouseMoved' ? 0 : 1});
  }

  async hover(x, y) { await this.send('Input.dispatchMouseEvent', {type: 'mouseMoved', x, y}); }

  async press(key) {
    for (const type of ['keyDown', 'keyUp']) await this.send('Input.dispatchKeyEvent', {type, key, code: key, windowsVirtualKeyCode: {ArrowLeft: 37, ArrowRight: 39, Enter: 13}[key], ...(key === 'Enter' && type === 'keyDown' && {text: '\r'})});
  }

  async resize(width, height, {mobile = false, scale = 1} = {}) { await this.send('Emulation.setDeviceMetricsOverride', {width, height, deviceScaleFactor: scale, mobile}); }

  async prefer(scheme) { await this.send('Emulation.setEmulatedMedia', {features: [{name: 'prefers-color-scheme', value: scheme}]}); }

  /// The page as a PNG; with selectors, from the one element to the end of the other.
  async picture(from, to) {
    const edge = (selector, side, otherwise) => (selector ? `document.querySelector(${JSON.stringify(selector)}).getBoundingClientRect().${side} + scrollY` : otherwise);
    const [width, top, bottom] = await this.evaluate(`[document.documentElement.clientWidth, ${edge(from, 'top', 0)}, ${edge(to, 'bottom', 'document.documentElement.scrollHeight')}]`);
    const y = Math.max(0, top - (from ? 18 : 0));
    const clip = {x: 0, y, width, height: bottom + (to ? 14 : 0) - y, scale: 1};
    const {data} = await this.send('Page.captureScreenshot', {format: 'png', captureBeyondViewport: true, clip});
    return Buffer.from(data, 'base64');
  }
}

import { html, nothing } from 'lit';
import * as api from '../lib/api.js';
import { Page } from '../lib/page.js';
import { badge, failure } from '../lib/parts.js';
import { setQuery } from '../lib/router.js';
import { useStyles } from './styles.js';

export const title = 'Lab';
export const render = (params, app) => html`<policy-lab .params=${params} .app=${app}></policy-lab>`;

useStyles('console/policy.css');

const POLL_MILLIS = 700;
const OWN = 'own';
const LOOKS = { done: 'is-ok', failed: 'is-bad', running: 'is-accent', waiting: 'is-accent', cancelled: '' };
const isOver = (run) => run.state !== 'waiting' && run.state !== 'running';

// The fields that most fleets are told apart by; the document has the others.
const FLEET = [
  ['devices', 'Devices', 'How many lose the service and want it back.', Number],
  ['quota', 'Capacity', 'What the service accepts, such as 500/s.', String],
  ['outage', 'Outage', 'How long it is away, such as 60s.', String],
];

class PolicyLab extends Page {
  static properties = {
    name: { state: true },
    text: { state: true },
    policies: { state: true },
    wrong: { state: true },
    runs: { state: true },
    run: { state: true },
    fleet: { state: true },
    height: { state: true },
  };

  constructor() {
    super();
    this.wrong = null;
    this.run = null;
    this.runs = [];
    this.height = 0;
    this.fleet = { devices: 20000, quota: '200/s', outage: '60s' };
  }

  async load() {
    const [scenarios, presets, runs] = await Promise.all([
      api.get('/v1/lab/scenarios', { signal: this.signal }),
      api.get('/v1/presets', { signal: this.signal }),
      api.get('/v1/lab/runs', { signal: this.signal }),
    ]);
    this.scenarios = scenarios;
    this.presets = presets;
    this.runs = runs;
    this.pick(this.params.scenario ?? OWN);
    this.show(runs.find((one) => one.id === this.params.run) ?? runs.find((one) => !isOver(one)) ?? null);
    this.every(POLL_MILLIS, () => this.follow());
    const resize = (event) => {
      const frame = this.querySelector('iframe');
      // The report has an origin of its own; only its height is taken from it.
      if (frame && event.source === frame.contentWindow && Number.isFinite(event.data?.reportHeight)) {
        this.height = Math.min(20000, Math.max(400, event.data.reportHeight));
      }
    };
    addEventListener('message', resize);
    this.untilGone(() => removeEventListener('message', resize));
  }

  updated() {
    const frame = this.querySelector('iframe');
    if (frame && this.height) frame.style.height = `${this.height}px`;
  }

  pick(name) {
    const scenario = this.scenarios.find((one) => one.name === name);
    this.name = scenario ? name : OWN;
    const document = scenario ?? this.ofFleet();
    const { policies, sweep, ...rest } = document;
    this.policies = Object.entries(policies ?? { 'full jitter': this.jittered(), 'iot-core-64s': 'iot-core-64s' });
    this.text = JSON.stringify(rest, null, 2);
    this.wrong = sweep ? { message: 'This scenario has a sweep, which the command line runs: ./reprise lab run. Here it is run without.', violations: [] } : null;
    setQuery({ scenario: scenario ? name : undefined });
  }

  ofFleet() {
    const { devices, quota, outage } = this.fleet;
    return {
      name: 'own-fleet',
      description: `${devices} devices lose a service of ${quota} for ${outage}.`,
      runs: 2,
      fleet: { devices, quota, failures: [{ type: 'outage', to: outage }] },
    };
  }

  jittered() {
    return {
      strategy: 'standard',
      maxAttempts: 'unlimited',
      budget: 'unlimited',
      backoff: { type: 'exponential', base: '1s', cap: '64s', jitter: 'full' },
    };
  }

  stated(name, read, event) {
    this.fleet = { ...this.fleet, [name]: read(event.target.value.trim()) };
    this.text = JSON.stringify(this.ofFleet(), null, 2);
  }

  async begin() {
    let document;
    try {
      document = { ...JSON.parse(this.text), policies: Object.fromEntries(this.policies) };
    } catch (error) {
      this.wrong = { message: `The scenario is not JSON: ${error.message}`, violations: [] };
      return;
    }
    try {
      this.show(await api.post('/v1/lab/runs', document));
      this.wrong = null;
    } catch (error) {
      this.wrong = error;
    }
    await this.follow(true);
  }

  show(run) {
    this.run = run;
    this.height = 0;
    setQuery({ run: run?.id });
  }

  /** Asks for the run that goes on, until it is over. */
  async follow(always = false) {
    if (!always && this.runs.every(isOver)) return;
    try {
      this.runs = await api.get('/v1/lab/runs', { signal: this.signal });
      const same = this.runs.find((one) => one.id === this.run?.id);
      if (same) this.run = same;
    } catch (error) {
      if (error.name !== 'AbortError') this.wrong = error;
    }
  }

  async cancel(run) {
    await this.attempt(() => api.del(api.path`/v1/lab/runs/${run.id}`), 'The run was cancelled.');
    await this.follow(true);
  }

  view() {
    return html`<div class="stack">
      <div class="head"><div><h1>Lab</h1>
        <p>What a policy does to many clients at once, in virtual time, with the code that delivers. One run at a time, beside the deliveries; larger ones: <code>./reprise lab run</code>.</p></div></div>
      <div class="editor">
        <div class="stack">${this.scenario()}</div>
        <div class="stack">${this.contestants()}${this.last()}</div>
      </div>
      ${this.run ? this.result(this.run) : nothing}
    </div>`;
  }

  scenario() {
    const description = this.scenarios.find((one) => one.name === this.name)?.description;
    return html`<section class="panel" aria-labelledby="scenario-h"><header><h2 id="scenario-h">Scenario</h2></header>
      <div class="field"><label for="scenario">Situation</label>
        <select id="scenario" @change=${(event) => this.pick(event.target.value)}>
          <option value=${OWN} ?selected=${this.name === OWN}>a fleet of my own</option>
          ${this.scenarios.map((one) => html`<option value=${one.name} ?selected=${one.name === this.name}>${one.name}</option>`)}
        </select></div>
      ${description ? html`<p class="soft">${description}</p>` : nothing}
      ${this.name === OWN
        ? html`<div class="fields">${FLEET.map(([name, label, hint, read]) => html`<div class="field"><label for="fleet-${name}">${label}</label>
            <input id="fleet-${name}" .value=${String(this.fleet[name])} aria-describedby="fleet-${name}-hint" @input=${(event) => this.stated(name, read, event)}>
            <p class="hint" id="fleet-${name}-hint">${hint}</p></div>`)}</div>`
        : nothing}
      <div class="field"><label for="document">Document</label>
        <textarea id="document" class="document" spellcheck="false" .value=${this.text} @input=${(event) => (this.text = event.target.value)}></textarea></div>
    </section>`;
  }

  contestants() {
    const set = (i, entry) => (this.policies = this.policies.map((one, j) => (i === j ? entry : one)));
    return html`<section class="panel" aria-labelledby="policies-h"><header><h2 id="policies-h">Policies</h2><p>each meets the same luck</p></header>
      ${this.policies.map(([name, policy], i) => html`<div class="row">
        <div class="field grow"><label for="policy-${i}">Name</label>
          <input id="policy-${i}" .value=${name} @input=${(event) => set(i, [event.target.value, policy])}></div>
        <div class="field grow"><label for="preset-${i}">Policy</label>
          <select id="preset-${i}" @change=${(event) => set(i, [event.target.value, event.target.value])}>
            ${typeof policy === 'string' ? nothing : html`<option value="" selected>its own document</option>`}
            ${this.presets.map((one) => html`<option value=${one.name} ?selected=${policy === one.name}>${one.name}</option>`)}
          </select></div>
        <a class="button slim" href="policies?document=${encodeURIComponent(JSON.stringify(this.documentOf(policy)))}">Edit</a>
        <button class="slim" ?disabled=${this.policies.length === 1} aria-label="Remove ${name}" @click=${() => (this.policies = this.policies.filter((one, j) => j !== i))}>Remove</button>
      </div>`)}
      <div class="row"><button @click=${this.add}>Add a policy</button>
        <label class="button">Add from a file<input type="file" accept=".json,application/json" hidden @change=${this.addFile}></label></div>
      ${this.wrong ? failure(this.wrong) : nothing}
      ${this.app.can('manage') ? html`<div><button class="primary" id="run" @click=${this.begin}>Run</button></div>` : html`<p class="soft">Running needs a key with scope manage.</p>`}
    </section>`;
  }

  documentOf(policy) {
    if (typeof policy !== 'string') return policy;
    const preset = this.presets.find((one) => one.name === policy);
    return preset?.policy ?? { healthyRetryPolicy: preset?.healthyRetryPolicy };
  }

  add() {
    const used = new Set(this.policies.map(([name]) => name));
    const preset = this.presets.find((one) => !used.has(one.name)) ?? this.presets[0];
    this.policies = [...this.policies, [preset.name, preset.name]];
  }

  async addFile(event) {
    const [file] = event.target.files;
    event.target.value = '';
    if (!file) return;
    try {
      this.policies = [...this.policies, [file.name.replace(/\.json$/, ''), JSON.parse(await file.text())]];
    } catch (error) {
      this.wrong = { message: `${file.name} is not JSON: ${error.message}`, violations: [] };
    }
  }

  last() {
    if (!this.runs.length) return nothing;
    return html`<section class="panel" aria-labelledby="runs-h"><header><h2 id="runs-h">Last runs</h2><p>kept until the service restarts</p></header>
      <div class="scroll"><table><tbody>
        ${this.runs.map((one) => html`<tr>
          <th scope="row"><button class="quiet" aria-current=${one.id === this.run?.id ? 'true' : nothing} @click=${() => this.show(one)}>${one.name}</button></th>
          <td>${badge(one.state, LOOKS[one.state])}</td></tr>`)}
      </tbody></table></div></section>`;
  }

  result(run) {
    return html`<section class="panel" aria-labelledby="result-h" id="result" data-state=${run.state}>
      <header><h2 id="result-h">${run.name}</h2><p>${badge(run.state, LOOKS[run.state])}</p></header>
      ${isOver(run)
        ? nothing
        : html`<progress max=${run.all} value=${run.done} aria-label="simulations done"></progress>
            <div class="row between"><p class="soft" role="status">${run.done} of ${run.all} simulations done</p>
              <button class="slim danger" @click=${() => this.cancel(run)}>Cancel</button></div>`}
      ${run.reason ? html`<p class="note is-bad">It has no results: ${run.reason}.</p>` : nothing}
      ${run.state === 'done' ? this.report(run) : nothing}
    </section>`;
  }

  report(run) {
    const url = api.path`v1/lab/runs/${run.id}/report`;
    const theme = document.documentElement.dataset.theme ?? '';
    return html`<ul class="sentences">${run.findings.map((one) => html`<li>${one}</li>`)}</ul>
      <div class="row">
        ${run.policies.map((one) => one.fitsTopics
          ? html`<a class="button slim" href="policies?document=${encodeURIComponent(JSON.stringify(one.policy))}">Save ${one.name} as a topic's policy</a>`
          : html`<a class="button slim" href="policies?document=${encodeURIComponent(JSON.stringify(one.policy))}">Open ${one.name} in the editor</a>`)}
        <a class="button slim" href=${url} target="_blank" rel="noopener">Open the report alone</a>
        <a class="button slim" href=${url} download="report.html">Save the report</a>
      </div>
      <iframe class="report" title="Report of ${run.name}" src="${url}${theme ? `#${theme}` : ''}"></iframe>`;
  }
}

customElements.define('policy-lab', PolicyLab);

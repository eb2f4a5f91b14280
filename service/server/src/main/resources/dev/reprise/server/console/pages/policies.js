import { html, nothing } from 'lit';
import * as api from '../lib/api.js';
import { ask } from '../lib/dialog.js';
import { Page } from '../lib/page.js';
import { failure } from '../lib/parts.js';
import { plot } from '../lib/plot.js';
import { setQuery } from '../lib/router.js';
import { count } from '../lib/text.js';
import { outageConfig, outageFigures } from './outage.js';
import { scheduleConfig, scheduleTable, stageKey, summary } from './schedule.js';
import { Schemas, schemaForm } from './schema-form.js';
import { useStyles } from './styles.js';

export const title = 'Policy editor';
export const render = (params, app) => html`<policy-editor .params=${params} .app=${app}></policy-editor>`;

useStyles('console/policy.css');

const NOTIFICATION = 'notification';
const GENERAL = 'general';

// The first time, the example of a policy with all four stages.
const EXAMPLE = {
  healthyRetryPolicy: {
    numRetries: 20,
    numNoDelayRetries: 3,
    numMinDelayRetries: 4,
    numMaxDelayRetries: 4,
    minDelayTarget: 20,
    maxDelayTarget: 60,
    backoffFunction: 'linear',
  },
};

// Typing is followed at once; the lab answers when it pauses.
const SOON_MILLIS = 120;
const PAUSE_MILLIS = 500;

// What was typed is no document: as if the service had refused it.
const NO_DOCUMENT = { status: 400, violations: [] };

/** Whether asking the same again may be answered otherwise. */
const mayPass = ({ status }) => status < 400 || status >= 500 || [408, 409, 429].includes(status);

/** Why there is nothing to draw. */
function reason(error) {
  if (mayPass(error)) return 'the service has not answered';
  const names = [...new Set((error.violations ?? []).map((one) => one.field.split('.').at(-1)))];
  if (names.length === 0) return 'the policy was not accepted';
  return names.length === 1 ? `${names[0]} breaks a rule` : `${names.slice(0, -1).join(', ')} and ${names.at(-1)} break rules`;
}

const formatOf = (document) => ('strategy' in document || 'preset' in document && !String(document.preset).startsWith('notification-') ? GENERAL : NOTIFICATION);

class PolicyEditor extends Page {
  static properties = {
    document: { state: true },
    text: { state: true },
    wrong: { state: true },
    preview: { state: true },
    forecast: { state: true },
    outageWrong: { state: true },
    asking: { state: true },
    topic: { state: true },
  };

  constructor() {
    super();
    this.wrong = null;
    this.preview = null;
    this.forecast = null;
    this.outageWrong = null;
    this.asking = false;
    this.outage = '30m';
    this.rate = '10/s';
    this.drawn = new Map();
  }

  async load() {
    const [presets, topicSchema, policySchema, topics] = await Promise.all([
      api.get('/v1/presets', { signal: this.signal }),
      api.get('/v1/schemas/topic', { signal: this.signal }),
      api.get('/v1/schemas/policy', { signal: this.signal }),
      api.get('/v1/topics?limit=1000', { signal: this.signal }),
    ]);
    this.presets = presets;
    this.topics = topics.items;
    this.schemas = { [NOTIFICATION]: new Schemas(topicSchema), [GENERAL]: new Schemas(policySchema, topicSchema) };
    this.topic = this.params.topic ?? '';
    this.use(await this.first());
    this.untilGone(() => {
      this.halt();
      this.drawn.forEach((handle) => handle.destroy());
    });
  }

  async first() {
    if (this.params.document) {
      try {
        return JSON.parse(this.params.document);
      } catch {
        this.app.tell('The document in the address is not JSON.', true);
      }
    }
    if (this.topic) {
      const { policy } = await api.get(api.path`/v1/topics/${this.topic}`, { signal: this.signal });
      if (Object.keys(policy).length) return policy;
    }
    return EXAMPLE;
  }

  /** Shows a document in the form and as JSON. */
  use(document) {
    this.text = JSON.stringify(document, null, 2);
    this.take(document);
  }

  typed(text) {
    this.text = text;
    let document;
    try {
      document = JSON.parse(text);
    } catch (error) {
      this.refuse({ ...NO_DOCUMENT, message: `This is not JSON: ${error.message}` });
      return;
    }
    if (document === null || typeof document !== 'object' || Array.isArray(document)) {
      this.refuse({ ...NO_DOCUMENT, message: 'A policy is a JSON object.' });
      return;
    }
    this.take(document);
  }

  take(document) {
    this.document = document;
    // Bare fields of the retry policy are a document too.
    this.format = 'numRetries' in document ? this.format ?? NOTIFICATION : formatOf(document);
    setQuery({ document: JSON.stringify(document) });
    this.halt();
    this.soon = setTimeout(() => this.draw(), SOON_MILLIS);
  }

  /** Stops what was asked about an earlier document. */
  halt() {
    clearTimeout(this.soon);
    clearTimeout(this.pause);
    this.drawing?.abort();
    this.foretelling?.abort();
  }

  /** Says what is wrong with the document; the schedule and the forecast of another one go. */
  refuse(error) {
    this.halt();
    this.wrong = error;
    this.preview = null;
    this.forecast = null;
    this.outageWrong = null;
    this.asking = false;
  }

  async draw() {
    const own = new AbortController();
    this.drawing = own;
    // Until the lab has answered again, the forecast is that of another document.
    this.asking = true;
    try {
      const preview = await api.post('/v1/preview', this.document, { signal: own.signal });
      if (own.signal.aborted) return;
      this.preview = preview;
      this.wrong = null;
      clearTimeout(this.pause);
      this.pause = setTimeout(() => this.foretell(), PAUSE_MILLIS);
    } catch (error) {
      if (error.name !== 'AbortError') this.refuse(error);
    }
  }

  async foretell(again = true) {
    this.foretelling?.abort();
    const own = new AbortController();
    this.foretelling = own;
    this.asking = true;
    try {
      const question = { policy: this.document, outage: this.outage, rate: this.rate };
      const forecast = await api.post('/v1/preview/outage', question, { signal: own.signal });
      if (own.signal.aborted) return;
      this.forecast = forecast;
      this.outageWrong = null;
    } catch (error) {
      if (error.name === 'AbortError') return;
      if (error.status === 409 && again) {
        this.pause = setTimeout(() => this.foretell(false), PAUSE_MILLIS);
        return;
      }
      this.forecast = null;
      this.outageWrong = error;
    } finally {
      if (this.foretelling === own) this.asking = false;
    }
  }

  async updated(changed) {
    if (changed.has('preview') && this.preview) await this.plotOn('schedule', () => scheduleConfig(this.preview));
    if (changed.has('forecast') && this.forecast) await this.plotOn('outage', () => outageConfig(this.forecast));
  }

  async plotOn(name, config) {
    const canvas = this.querySelector(`#${name}`);
    if (!canvas) return;
    const before = this.drawn.get(name);
    if (before?.chart.canvas === canvas) {
      before.redraw();
      return;
    }
    before?.destroy();
    this.drawn.delete(name);
    const handle = await plot(canvas, config);
    if (this.isConnected) this.drawn.set(name, handle);
    else handle.destroy();
  }

  view() {
    return html`<div class="stack">
      <div class="head"><div><h1>Policy editor</h1>
        <p>How failed deliveries are retried: change the form or the JSON, and see every delay, and what an outage would do.</p></div>
        ${this.starts()}</div>
      <div class="editor three">
        <div class="stack">${this.form()}</div>
        <div class="stack">${this.json()}${this.saving()}</div>
        <div class="stack">${this.schedule()}${this.outagePanel()}</div>
      </div>
    </div>`;
  }

  starts() {
    return html`<div class="row">
      <div class="field"><label for="preset">Start from</label>
        <select id="preset" @change=${this.start}>
          <option value="">a preset …</option>
          ${this.presets.map((one) => html`<option value=${one.name}>${one.name}</option>`)}
        </select></div>
      <div class="field"><label for="format">Format</label>
        <select id="format" @change=${(event) => this.use(event.target.value === GENERAL ? { strategy: 'standard' } : EXAMPLE)}>
          <option value=${NOTIFICATION} ?selected=${this.format === NOTIFICATION}>notification (topics)</option>
          <option value=${GENERAL} ?selected=${this.format === GENERAL}>general (clients, lab)</option>
        </select></div>
    </div>`;
  }

  start(event) {
    const preset = this.presets.find((one) => one.name === event.target.value);
    event.target.value = '';
    if (preset) this.use(preset.policy ?? { healthyRetryPolicy: preset.healthyRetryPolicy });
  }

  schedule() {
    const preview = this.preview;
    return html`<section class="panel" aria-labelledby="schedule-h">
      <header><h2 id="schedule-h">Schedule</h2></header>
      ${this.wrong ? html`<p class="note" id="no-schedule">No schedule: ${reason(this.wrong)}.</p>` : nothing}
      ${preview
        ? html`<p id="schedule-summary">${summary(preview)}</p>
            ${preview.warnings.map((one) => html`<p class="note is-warn">${one}</p>`)}
            ${preview.rows.length
              ? html`<div class="plot"><canvas id="schedule" role="img" aria-label="Delay of each retry, and all delays together; the table below has the same figures"></canvas></div>
                  ${stageKey(preview)}
                  <div class="tall">${scheduleTable(preview)}</div>`
              : nothing}`
        : nothing}
    </section>`;
  }

  outagePanel() {
    return html`<section class="panel" aria-labelledby="outage-h">
      <header><h2 id="outage-h">An outage of the endpoint</h2><p role="status">${this.asking ? 'Asking the lab …' : ''}</p></header>
      <form class="filter" @submit=${(event) => event.preventDefault()}>
        <div class="field narrow"><label for="outage-span">It is away for</label>
          <input id="outage-span" .value=${this.outage} @input=${(event) => this.question('outage', event)}></div>
        <div class="field narrow"><label for="outage-rate">Messages for it</label>
          <input id="outage-rate" .value=${this.rate} @input=${(event) => this.question('rate', event)}></div>
      </form>
      ${this.wrong ? html`<p class="note" id="no-forecast">No forecast: ${reason(this.wrong)}.</p>` : nothing}
      ${this.outageWrong ? failure(this.outageWrong, mayPass(this.outageWrong) ? () => this.foretell() : undefined) : nothing}
      ${this.forecast
        ? html`${outageFigures(this.forecast)}
            <div class="plot"><canvas id="outage" role="img" aria-label="Attempts a second, waiting messages and those given up, over the time since the outage began; the figures above are its sum"></canvas></div>
            <p class="legend"><span><i class="rate"></i>attempts a second</span><span><i class="waiting"></i>messages that wait</span>${this.forecast.givenUp > 0 ? html`<span><i class="lost"></i>given up</span>` : nothing}</p>
            <p class="hint">By the policy alone: the service spares an endpoint that keeps failing, and attempts it less often.</p>`
        : nothing}
    </section>`;
  }

  question(name, event) {
    this[name] = event.target.value.trim();
    clearTimeout(this.pause);
    // A policy that is wrong has no forecast, and a schedule that is on its way asks for it.
    if (this.wrong || !this.preview) return;
    this.pause = setTimeout(() => this.foretell(), PAUSE_MILLIS);
  }

  form() {
    const schemas = this.schemas[this.format];
    const bare = this.format === NOTIFICATION && 'numRetries' in this.document;
    const pointer = this.format === GENERAL ? '#/$defs/strategyPolicy' : bare ? '#/$defs/healthyRetryPolicyFields' : '#/$defs/flatTopicPolicy';
    const violations = this.wrong?.violations ?? [];
    const state = {
      schemas,
      document: this.document,
      violations: bare ? violations.map((one) => ({ ...one, field: one.field.replace(/^policy\./, '') })) : violations,
      change: (document) => this.use(document),
      told: new Set(),
    };
    // What no field of the form says is said at the JSON.
    this.untold = () => state.violations.filter((one) => !state.told.has(one));
    return html`<section class="panel" aria-labelledby="form-h"><header><h2 id="form-h">Form</h2></header>
      ${schemaForm(state, { $ref: pointer })}</section>`;
  }

  json() {
    return html`<section class="panel"><header><h2><label for="json">JSON</label></h2></header>
      <textarea id="json" class="document" spellcheck="false" autocomplete="off" aria-invalid=${this.wrong ? 'true' : 'false'}
        aria-describedby=${this.wrong ? 'json-wrong' : nothing}
        .value=${this.text} @input=${(event) => this.typed(event.target.value)}></textarea>
      <div id="json-wrong">${this.wrong ? this.refusal(this.wrong) : nothing}</div></section>`;
  }

  refusal(error) {
    if (mayPass(error)) return failure(error, () => this.use(this.document));
    if (!error.violations?.length) return html`<p class="wrong" role="alert">${error.message}</p>`;
    return this.untold().map((one) => html`<p class="wrong" role="alert"><code>${one.field}</code> ${one.rule}</p>`);
  }

  saving() {
    if (!this.app.can('manage')) return nothing;
    if (this.format !== NOTIFICATION) {
      return html`<section class="panel"><header><h2>Save</h2></header>
        <p class="soft">Topics deliver by policies of the notification format. This one is for clients: copy the JSON, or run it in the <a href="lab">lab</a>.</p></section>`;
    }
    return html`<section class="panel"><header><h2>Save as a topic's policy</h2></header>
      ${this.topics.length
        ? html`<form class="filter" @submit=${this.save}>
            <div class="field"><label for="topic">Topic</label>
              <select id="topic" required @change=${(event) => (this.topic = event.target.value)}>
                <option value="">choose …</option>
                ${this.topics.map((one) => html`<option value=${one.name} ?selected=${one.name === this.topic}>${one.name}</option>`)}
              </select></div>
            <button class="primary" ?disabled=${!this.topic || Boolean(this.wrong)}>Save …</button>
          </form>`
        : html`<p class="soft">There is no topic yet. <a href="topics">Create one</a> first.</p>`}
    </section>`;
  }

  async save(event) {
    event.preventDefault();
    const topic = this.topic;
    const document = 'numRetries' in this.document ? { healthyRetryPolicy: this.document } : this.document;
    const consequences = await this.attempt(() => this.consequences(topic, document));
    if (!consequences) return;
    const saved = await ask({
      title: `Change the policy of ${topic}?`,
      consequences,
      confirm: 'Save',
      danger: false,
      action: () => api.put(api.path`/v1/topics/${topic}`, document),
    });
    if (saved) this.app.tell(`${topic} has the policy.`);
  }

  /** Says which subscriptions would deliver in another way. */
  async consequences(topic, document) {
    let cursor;
    const all = [];
    do {
      const page = await api.get(`/v1/subscriptions${api.query({ topic, limit: 1000, cursor })}`);
      all.push(...page.items);
      cursor = page.next;
    } while (cursor);
    const ignored = document.disableSubscriptionOverrides === true;
    const own = all.filter((one) => one.policy !== undefined && one.policy !== null);
    const follow = ignored ? all : all.filter((one) => !own.includes(one));
    const names = follow.slice(0, 8).map((one) => one.id).join(', ');
    const said = [`It replaces the whole policy that ${topic} has.`];
    said.push(
      follow.length
        ? `${count(follow.length, 'subscription')} will follow it: ${names}${follow.length > 8 ? ' and others' : ''}.`
        : 'No subscription follows it now.',
    );
    if (own.length && !ignored) said.push(`${count(own.length, 'subscription')} with a policy of ${own.length === 1 ? 'its' : 'their'} own will not.`);
    if (own.length && ignored) said.push(`${count(own.length, 'subscription')} will lose the effect of ${own.length === 1 ? 'its' : 'their'} own policy.`);
    said.push('Deliveries that already wait keep the time of their next attempt; what follows it is decided by the new policy.');
    return said;
  }
}

customElements.define('policy-editor', PolicyEditor);

import { html, nothing } from 'lit';
import * as api from '../lib/api.js';
import { Page } from '../lib/page.js';
import { badge, crumbs, missing, reasonedButton } from '../lib/parts.js';
import { plot } from '../lib/plot.js';
import { setQuery } from '../lib/router.js';
import { count, duration, exact, rough, span, time } from '../lib/text.js';
import { RANGES, healthTable, inWords, latencyConfig, occurring, outcomesConfig, pendingConfig, slots, totals } from './health.js';
import { receiverCheck } from './receiver-check.js';
import { healthSentences, isOverridden } from './sentences.js';
import { sign, signs } from './signing.js';
import { release, sendTest, suspend } from './subscription-actions.js';
import { editSubscription } from './subscription-form.js';
import { failing, whose } from './subscription-table.js';

export const title = (params) => params.id;
export const render = (params, app) => html`<endpoint-page .params=${params} .app=${app}></endpoint-page>`;

const LOOK_MILLIS = 3000;
const FROM = { subscription: 'of this subscription', topic: 'of the topic', preset: 'of a preset' };
const SUSPENDED_BY = { operator: 'Somebody suspended it', endpoint: 'Its endpoint answered 410, which suspends it', creation: 'It was created suspended' };
const OUTCOME_KEYS = { '--stage-1': 'stage-1', '--stage-2': 'stage-2', '--stage-3': 'stage-3', '--stage-4': 'stage-4', '--bad': 'bad', '--warn': 'warn', '--line-strong': 'line-strong', '--ink-soft': 'ink-soft' };

class EndpointPage extends Page {
  static properties = { subscription: { state: true }, items: { state: true }, range: { state: true }, check: { state: true } };

  constructor() {
    super();
    this.check = { state: 'idle' };
    this.drawn = new Map();
  }

  async load() {
    this.range ??= RANGES[this.params.range] ? this.params.range : '1h';
    const [subscription, items] = await Promise.all([this.one(), this.minutes()]);
    this.subscription = subscription;
    this.items = items;
    this.seenAt = Date.now();
    if (this.follows) return;
    this.follows = true;
    this.every(LOOK_MILLIS, () => this.look());
    this.untilGone(() => this.drawn.forEach((handle) => handle.destroy()));
  }

  one() {
    return api.find(api.path`/v1/subscriptions/${this.params.id}`, { signal: this.signal });
  }

  async minutes() {
    const { millis, step } = RANGES[this.range];
    const from = new Date(Date.now() - millis).toISOString();
    const items = [];
    let cursor;
    do {
      const page = await api.find(api.path`/v1/subscriptions/${this.params.id}/minutes` + api.query({ from, step, limit: 1000, cursor }), { signal: this.signal });
      items.push(...(page?.items ?? []));
      cursor = page?.next;
    } while (cursor);
    return items;
  }

  async look() {
    try {
      this.subscription = await this.one();
      if (Date.now() - this.seenAt >= RANGES[this.range].again) {
        this.items = await this.minutes();
        this.seenAt = Date.now();
      }
      this.failure = null;
    } catch (error) {
      if (error.name !== 'AbortError') this.failure = error;
    }
  }

  async use(range) {
    this.range = range;
    setQuery({ range: range === '1h' ? undefined : range });
    await this.attempt(async () => {
      this.items = await this.minutes();
      this.seenAt = Date.now();
    });
  }

  updated(changed) {
    if (!changed.has('items') && !changed.has('ready')) return;
    // One drawing after the other: the first one waits for the library.
    this.drawing = (this.drawing ?? Promise.resolve()).then(() => this.draw()).catch((error) => {
      this.failure = error;
    });
  }

  async draw() {
    const { range } = this;
    const all = slots(this.items ?? [], range);
    await this.plotOn('latency', () => latencyConfig(all, range));
    await this.plotOn('outcomes', () => outcomesConfig(all, range));
    await this.plotOn('pending', () => pendingConfig(all, range));
  }

  async plotOn(name, config) {
    this.drawn.get(name)?.destroy();
    this.drawn.delete(name);
    const canvas = this.querySelector(`#${name}-plot`);
    if (!canvas) return;
    const handle = await plot(canvas, config);
    if (this.isConnected && canvas.isConnected) this.drawn.set(name, handle);
    else handle.destroy();
  }

  get here() {
    return `subscriptions/${encodeURIComponent(this.params.id)}`;
  }

  view() {
    const { subscription } = this;
    if (!subscription) {
      return html`<div class="stack">${crumbs(['Subscriptions', 'subscriptions'], [this.params.id])}
        ${missing('No such subscription', 'It may have been removed, or belong to another project.', html`<a class="button" href="subscriptions">Go to the subscriptions</a>`)}</div>`;
    }
    return html`<div class="stack">
      ${crumbs(['Topics', 'topics'], [subscription.topic, `topics/${encodeURIComponent(subscription.topic)}`], [subscription.id])}
      <div class="head"><div><h1>${subscription.id}${subscription.suspended ? badge('suspended', 'is-warn') : failing(subscription)}${(subscription.flags ?? []).map((each) => badge(each, 'is-warn'))}</h1>
        <p class="break">${whose(subscription, true)}<span class="mono">${subscription.endpoint}</span> · ${subscription.protocol}</p></div>${this.actions()}</div>
      ${this.failure ? html`<p class="note is-bad" role="alert">${this.failure.message}</p>` : nothing}
      ${subscription.suspended ? this.suspension(subscription.suspended) : nothing}
      ${(subscription.warnings ?? []).map((each) => html`<p class="note is-warn">${each}</p>`)}
      <div class="columns">${this.state()}${this.ledger()}</div>
      ${this.health()}
      <div class="columns">${this.policy()}${this.settings()}</div>
      ${receiverCheck(this.check, { protocol: subscription.protocol, can: this.app.can('manage'), run: () => this.runCheck() })}
    </div>`;
  }

  actions() {
    const { suspended } = this.subscription;
    const links = html`<a class="button" href="${this.here}/deliveries">Deliveries</a><a class="button" href="${this.here}/dead-letters">Dead letters</a>`;
    if (!this.app.can('manage')) return html`<div class="row">${links}</div>`;
    return html`<div class="row">${links}
      ${reasonedButton('test', 'Send a test message', () => sendTest(this.app, this.subscription), suspended ? 'It is suspended: release it first.' : '')}
      ${suspended ? html`<button id="release" class="primary" @click=${() => this.afterwards(release)}>Release …</button>` : html`<button id="suspend" @click=${() => this.afterwards(suspend)}>Suspend …</button>`}</div>`;
  }

  suspension({ by, since, reason, held, maxHeld, maxAge, dropsAt }) {
    return html`<div class="note is-warn" id="suspension">
      <p><b>${SUSPENDED_BY[by] ?? by}</b> at ${time(since)}${reason ? html`: ${reason}` : nothing}.</p>
      <p>${count(held, 'delivery is', 'deliveries are')} held, of ${exact(maxHeld)} at the most, each for ${duration(maxAge)} from when it is due.
        ${dropsAt ? html`The first of them will be dropped at <b id="drops-at">${time(dropsAt)}</b>, in ${span(Math.max(0, new Date(dropsAt) - Date.now()))}, unless it is released before.` : 'Nothing will be dropped for the time being.'}</p>
    </div>`;
  }

  state() {
    return html`<section class="panel" aria-labelledby="state-h"><header><h2 id="state-h">Now</h2></header>
      <ul class="said" id="state">${healthSentences(this.subscription).map((each) => html`<li>${each}</li>`)}</ul></section>`;
  }

  ledger() {
    const { ledger, receipts } = this.subscription;
    const terms = [['pending', 'pending', `${this.here}/deliveries?status=pending`], ['delivered', 'delivered'], ['deadLettered', 'dead letters', `${this.here}/dead-letters`], ['discarded', 'discarded'], ['expired', 'expired'], ['moved', 'moved']]
      .filter(([name], i) => i < 3 || ledger[name]);
    return html`<section class="panel" aria-labelledby="ledger-h"><header><h2 id="ledger-h">Ledger</h2>
        <p class=${ledger.unexplained ? 'bad' : ''}>${ledger.unexplained ? `${exact(ledger.unexplained)} unexplained` : 'It balances'}</p></header>
      <p class="sum"><span><b>${exact(ledger.accepted)}</b> accepted</span>
        ${terms.map(([name, words, url], i) => html`<span><span class="sign">${i ? '+' : '='}</span> <b class=${name === 'deadLettered' && ledger[name] ? 'bad' : ''}>${exact(ledger[name])}</b> ${url ? html`<a href=${url}>${words}</a>` : words}</span>`)}</p>
      <p class="soft small">${count(ledger.attempts, 'attempt')} in all${receipts ? `; later reports of the carrier: ${exact(receipts.delivered)} arrived, ${exact(receipts.failed)} failed` : ''}.</p></section>`;
  }

  health() {
    const all = slots(this.items, this.range);
    const words = inWords(all, this.range);
    const sum = totals(all);
    const some = sum.attempts > 0 || sum.pausedMillis > 0;
    return html`<section class="panel" aria-labelledby="health-h">
      <header class="centred"><h2 id="health-h">Health</h2>
        <div class="segments" role="group" aria-label="Range">${Object.entries(RANGES).map(([name, { text }]) => html`<button aria-pressed=${this.range === name ? 'true' : 'false'} @click=${() => this.use(name)}>${text}</button>`)}</div></header>
      <p id="health-words">${words}</p>
      <div ?hidden=${!some} class="stack tight">
        <h3>How long attempts took</h3>
        <p class="keys"><span><i class="line stage-1"></i>p50</span><span><i class="line stage-4"></i>p99</span><span><i class="line longest"></i>longest</span>
          <span><i class="stage-2 faint"></i>limit of attempts at a time</span><span><i class="stage-3"></i>endpoint asked for silence</span></p>
        <div class="plot bands"><canvas id="latency-plot" role="img" aria-label="Time of attempts, and under it the limit and pauses. ${words} The table below has the same figures."></canvas></div>
        <h3>What came of them</h3>
        <p class="keys">${occurring(all).map(([, text, of]) => html`<span><i class=${OUTCOME_KEYS[of]}></i>${text}</span>`)}</p>
        <div class="plot low"><canvas id="outcomes-plot" role="img" aria-label="Attempts by outcome; the table below has the same figures"></canvas></div>
        <h3>Pending</h3>
        <div class="plot lowest"><canvas id="pending-plot" role="img" aria-label="Pending deliveries; the table below has the same figures"></canvas></div>
        <details><summary>The same figures as a table</summary>${healthTable(all)}</details>
      </div>
      ${some ? nothing : html`<p class="soft">Publish to <a href="topics/${encodeURIComponent(this.subscription.topic)}">${this.subscription.topic}</a>${this.subscription.suspended ? '' : ', or send a test message'}, and see here how the endpoint bears it. Figures are kept for seven days.</p>`}
    </section>`;
  }

  policy() {
    const { effectivePolicy: policy, topic } = this.subscription;
    const { healthyRetryPolicy: retry } = policy;
    const from = policy.healthyRetryPolicyFrom;
    return html`<section class="panel" aria-labelledby="policy-h"><header><h2 id="policy-h">Policy</h2>
        <p>${from === 'topic' ? html`Of the topic <a href="policies/${encodeURIComponent(topic)}">${topic}</a>` : from === 'preset' ? html`The preset <code>${policy.preset}</code>` : 'Of this subscription'}</p></header>
      ${isOverridden(this.subscription) ? html`<p class="note is-warn" id="overridden">Its own policy has no effect: topic <a href="policies/${encodeURIComponent(topic)}">${topic}</a> overrides it (<code>disableSubscriptionOverrides</code>, “Ignore Subscription Replace”).</p>` : nothing}
      <dl class="facts">
        <dt>Retries</dt><dd>${exact(retry.numRetries)}${retry.numNoDelayRetries ? `, the first ${exact(retry.numNoDelayRetries)} at once` : ''}</dd>
        <dt>Delays</dt><dd>${exact(retry.minDelayTarget)} s to ${exact(retry.maxDelayTarget)} s, ${retry.backoffFunction}</dd>
        <dt>Throttle</dt><dd>${policy.throttlePolicy ? `${rough(policy.throttlePolicy.maxReceivesPerSecond)} a second, ${FROM[policy.throttlePolicyFrom] ?? ''}` : 'none'}</dd>
      </dl>
      <p><a class="button slim" href="policies?document=${encodeURIComponent(JSON.stringify({ healthyRetryPolicy: retry }))}">See its schedule</a></p></section>`;
  }

  settings() {
    const it = this.subscription;
    return html`<section class="panel" aria-labelledby="settings-h"><header><h2 id="settings-h">Settings</h2>
        ${this.app.can('manage') ? html`<div class="row">${signs(it) ? html`<button class="slim" id="sign" @click=${() => this.afterwards(sign)}>${it.http?.signingSecret?.set ? 'Rotate its secret …' : 'Sign …'}</button>` : nothing}
          <button class="slim" id="edit" @click=${() => this.afterwards(editSubscription)}>Edit …</button></div>` : nothing}</header>
      <dl class="facts">
        ${it.name ? html`<dt>Name</dt><dd>${it.name}</dd>` : nothing}
        ${it.customer ? html`<dt>Customer</dt><dd><a href="subscriptions?search=${encodeURIComponent(it.customer)}">${it.customer}</a></dd>` : nothing}
        ${it.labels ? html`<dt>Labels</dt><dd id="labels">${Object.entries(it.labels).map(([key, value]) => html`<code>${key}=${value}</code> `)}</dd>` : nothing}
        <dt>Format</dt><dd>${it.format || 'as the protocol has it'}</dd>
        ${it.carrier ? html`<dt>Carrier</dt><dd><a href="carriers">${it.carrier}</a></dd>` : nothing}
        <dt>Filter</dt><dd>${it.filter ? html`<code>${JSON.stringify(it.filter)}</code>` : 'every message'}</dd>
        <dt>Given up</dt><dd>${it.deadLetterTarget ? html`goes to <a href="subscriptions/${encodeURIComponent(it.deadLetterTarget)}">${it.deadLetterTarget}</a>` : it.deadLetters === 'discard' ? 'is discarded' : 'is kept as a dead letter'}</dd>
        <dt>Lifetime</dt><dd>${it.lifetime ? duration(it.lifetime) : 'for ever'}</dd>
        <dt>At a time</dt><dd>${exact(it.maxInFlight)} attempts at the most</dd>
        ${it.shards > 1 ? html`<dt>Spread</dt><dd>over ${exact(it.shards)} shards</dd>` : nothing}
        <dt>Signed</dt><dd>${it.http?.signingSecret ? 'yes, after Standard Webhooks' : 'no'}</dd>
        ${it.suspendWhenGone ? html`<dt>On 410</dt><dd>is suspended</dd>` : nothing}
        <dt>Created</dt><dd>${time(it.createdAt)}</dd>
      </dl></section>`;
  }

  /** Does something that asks first, and shows what came of it. */
  async afterwards(work) {
    if (await work(this.app, this.subscription)) this.refresh();
  }

  async runCheck() {
    this.check = { state: 'running' };
    try {
      this.check = { state: 'done', report: await api.post(api.path`/v1/subscriptions/${this.params.id}/check`, {}, { signal: this.signal }) };
    } catch (error) {
      if (error.name === 'AbortError') return;
      this.check = { state: 'failed', error, missing: error.status === 404 && Boolean(await this.one().catch(() => null)) };
    }
  }
}

customElements.define('endpoint-page', EndpointPage);

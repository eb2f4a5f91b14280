import { html, nothing } from 'lit';
import * as api from '../lib/api.js';
import { command } from '../lib/command.js';
import { Page } from '../lib/page.js';
import { bar, empty } from '../lib/parts.js';
import { colour, plot } from '../lib/plot.js';
import * as projects from '../lib/projects.js';
import { clockTime, count, exact, rough, span, time } from '../lib/text.js';

export const title = 'Overview';
export const render = (params, app) => html`<overview-page .params=${params} .app=${app}></overview-page>`;

const RATES = [
  ['published', 'Published', '--stage-1'],
  ['delivered', 'Delivered', '--stage-2'],
  ['retried', 'Retried', '--stage-3'],
  ['deadLettered', 'Dead', '--bad'],
];

// What the ledger takes away from the accepted deliveries.
const TERMS = [
  ['pending', 'pending', 'deliveries?status=pending'],
  ['delivered', 'delivered'],
  ['deadLettered', 'dead letters', 'dead-letters'],
  ['discarded', 'discarded'],
  ['expired', 'expired'],
  ['moved', 'moved'],
];

const MINUTE_MILLIS = 60_000;
const HOUR_MILLIS = 60 * MINUTE_MILLIS;
// A minute of which fewer samples were seen has no rate of publishes.
const ENOUGH_SAMPLES = 30;
// More troubles than these are folded: what the service does stands below them.
const TROUBLES = 5;
const LATE_MILLIS = 5000;
const FIRST_WAIT_MILLIS = 1000;
const LONGEST_WAIT_MILLIS = 30_000;

// The rates since the console was opened: they are there again when one comes back to the page.
const past = [];

// The attempts of the last hour by the minute, as the service has recorded them.
let minutes = [];

// The project that both are of.
let pastOf = '';

class OverviewPage extends Page {
  static properties = {
    overview: { state: true },
    live: { state: true },
  };

  constructor() {
    super();
    this.live = true;
    this.failures = 0;
  }

  async load() {
    if (pastOf !== projects.current()) {
      pastOf = projects.current();
      past.length = 0;
    }
    const [overview] = await Promise.all([api.get('/v1/overview', { signal: this.signal }), this.lastHour()]);
    this.take(overview);
    this.listen();
    this.untilGone(() => {
      this.deaf();
      this.drawn?.destroy();
    });
    const looked = () => (document.hidden ? this.deaf() : this.listen());
    document.addEventListener('visibilitychange', looked);
    this.untilGone(() => document.removeEventListener('visibilitychange', looked));
    this.every(1000, () => {
      this.live = Date.now() - this.seenAt < LATE_MILLIS;
    });
    this.every(MINUTE_MILLIS / 4, () => this.lastHour().catch(() => {}));
  }

  async lastHour() {
    minutes = (await api.get('/v1/overview/minutes', { signal: this.signal })).items;
    this.draw();
  }

  take(overview) {
    const now = Date.now();
    this.overview = overview;
    this.seenAt = now;
    this.live = true;
    if (!overview.rates) return;
    const last = past.at(-1);
    if (last && now - last.at > LATE_MILLIS) past.push({ at: now - 1, rates: null });
    past.push({ at: now, rates: overview.rates });
    while (past.length && now - past[0].at > HOUR_MILLIS) past.shift();
    this.draw();
  }

  listen() {
    this.deaf();
    if (!this.isConnected) return;
    this.closeStream = api.stream('/v1/overview/stream', {
      event: (overview) => {
        this.failures = 0;
        this.take(overview);
      },
      error: () => this.lost(),
    });
  }

  deaf() {
    clearTimeout(this.waiting);
    this.closeStream?.();
    this.closeStream = null;
  }

  /** Lists are of one project: where several are shown together, there is none. */
  get hasLists() {
    return !projects.all().length || projects.current() !== '';
  }

  /** A stream ends each minute, and others may have taken all there are: then one figure is asked for. */
  lost() {
    this.deaf();
    const longest = Math.min(LONGEST_WAIT_MILLIS, FIRST_WAIT_MILLIS * 2 ** this.failures++);
    this.waiting = setTimeout(async () => {
      if (this.failures > 1) {
        try {
          this.take(await api.get('/v1/overview', { signal: this.signal }));
        } catch {
          // The time of the last look is shown, and the next one follows.
        }
      }
      if (!document.hidden) this.listen();
    }, longest * (0.5 + Math.random() / 2));
  }

  updated() {
    this.draw();
  }

  async draw() {
    const canvas = this.querySelector('#rates');
    if (!canvas || this.drawing) return;
    if (this.drawn?.chart.canvas === canvas) {
      this.fill(this.drawn.chart);
      this.drawn.update();
      return;
    }
    this.drawing = true;
    try {
      this.drawn?.destroy();
      const handle = await plot(canvas, () => ratesConfig());
      if (this.isConnected) this.drawn = handle;
      else handle.destroy();
    } finally {
      this.drawing = false;
    }
  }

  fill(chart) {
    const fresh = ratesConfig();
    chart.data.datasets.forEach((set, i) => (set.data = fresh.data.datasets[i].data));
    Object.assign(chart.options.scales.x, { min: fresh.options.scales.x.min, max: fresh.options.scales.x.max });
  }

  view() {
    const { overview } = this;
    return html`<div class="stack">
      <div class="head"><h1>Overview</h1>${this.state()}</div>
      ${this.troubles()}
      ${overview.topics === 0 ? this.start() : html`${overview.subscriptions === 0 ? this.subscribe() : nothing}${this.rates()}${this.ledger()}
        ${this.worst()}${this.backlog()}`}
    </div>`;
  }

  state() {
    return this.live
      ? html`<p class="live ok" role="status"><span class="dot"></span>Live</p>`
      : html`<p class="live bad" role="status"><span class="dot"></span>Not live, last seen ${time(new Date(this.seenAt).toISOString(), { short: true })}. Trying again …</p>`;
  }

  troubles() {
    const troubles = this.overview.troubles ?? [];
    if (troubles.length === 0) return nothing;
    const link = (one) => one.subscription
      ? html` <a class="break" href=${to({ id: one.subscription, project: one.project })}>${one.subscription}</a>`
      : one.kind === 'carrier_down' ? html` <a class="break" href=${`carriers?search=${encodeURIComponent(one.about)}`}>${one.about}</a>` : nothing;
    const note = (one) => html`<div class="note is-bad" data-kind=${one.kind}><p><b class="break">${one.text}</b>${link(one)}${one.since ? html` Since ${time(one.since)}.` : nothing}</p>
      <p class="small break">${one.action}</p></div>`;
    return html`<section class="stack" id="troubles" aria-labelledby="troubles-h"><h2 id="troubles-h">To act on</h2>
      ${troubles.slice(0, TROUBLES).map(note)}
      ${troubles.length > TROUBLES ? html`<details><summary>${count(troubles.length - TROUBLES, 'more', 'more')}</summary><div class="stack">${troubles.slice(TROUBLES).map(note)}</div></details>` : nothing}</section>`;
  }

  start() {
    return html`<section class="panel">
      ${empty('Nothing is published yet', 'Messages are published to a topic, and each of its subscriptions delivers them to an endpoint. So a topic comes first.',
        this.app.can('manage') ? html`<a class="button primary" href="topics?new=1">Create a topic</a>` : nothing)}
      <div class="commands"><p class="soft small">Or in a terminal:</p>
      ${command('./reprise topic create orders\n./reprise subscribe orders https://example.com/hook\n./reprise publish orders \'{"order": 7}\'', 'create a topic and publish')}
      <p class="soft small">Or by HTTP:</p>
      ${command(`curl -X PUT ${new URL('v1/topics/orders', document.baseURI)}${this.app.session.dev ? '' : ` -H "Authorization: Bearer $REPRISE_KEY"`}`, 'create a topic by HTTP')}</div>
    </section>`;
  }

  subscribe() {
    return html`<div class="note row between"><p>No subscription yet: what is published now reaches nobody.</p>
      ${this.app.can('manage') ? html`<a class="button slim" href="subscriptions?new=1">Create a subscription</a>` : nothing}</div>`;
  }

  rates() {
    const { rates } = this.overview;
    return html`<section class="panel flush rates" aria-labelledby="rates-h">
      <h2 id="rates-h" class="hidden-text">Rates</h2>
      <dl class="figures">
        ${RATES.map(([name, label, ink]) => html`<div><dt><i class="key key-${ink.slice(2)}"></i>${label}</dt>
          <dd id="rate-${name}">${rates ? rough(rates[name]) : '–'} <small>per second</small></dd></div>`)}
      </dl>
      <div class="plot low"><canvas id="rates" role="img" aria-label="The rates above over the last hour, by the minute and then by the second; what was published, as far as this page was open"></canvas></div>
    </section>`;
  }

  ledger() {
    const { ledger } = this.overview;
    const rest = TERMS.reduce((sum, [name]) => sum - ledger[name], ledger.accepted);
    return html`<section class="panel ${rest === 0 ? '' : 'is-wrong'}" aria-labelledby="ledger-h">
      <header><h2 id="ledger-h">Ledger</h2><p>${rest === 0 ? 'Every accepted delivery is accounted for.' : nothing}</p></header>
      <p class="sum" id="ledger" data-rest=${rest}>
        <span><b>${exact(ledger.accepted)}</b> accepted</span>
        ${TERMS.map(([name, label, url]) => html`<span><span class="sign">−</span> <b data-term=${name}>${exact(ledger[name])}</b> ${url && this.hasLists ? html`<a href=${url}>${label}</a>` : label}</span>`)}
        <span><span class="sign">=</span> <b class=${rest === 0 ? 'ok' : 'bad'}>${exact(rest)}</b></span>
      </p>
      ${rest === 0
        ? nothing
        : html`<p class="note is-bad" role="alert"><b>The ledger does not sum to zero: ${count(Math.abs(rest), 'delivery', 'deliveries')} ${rest > 0 ? 'in no state' : 'too many'}.</b>
            Something was lost or counted twice. Keep the data folder as it is, and let every record be counted: <code>./reprise ledger --verify</code></p>`}
    </section>`;
  }

  backlog() {
    const { backlog } = this.overview;
    const most = Math.max(1, ...backlog.ages.map((each) => each.count));
    let from = 0;
    const rows = backlog.ages.map((each) => {
      const words = each.upToMillis === undefined ? `over ${span(from)}` : from === 0 ? `under ${span(each.upToMillis)}` : `${span(from)} to ${span(each.upToMillis)}`;
      from = each.upToMillis;
      return html`<tr><th scope="row" class="nowrap">${words}</th>
        <td class="bar-cell">${bar(each.count / most, each.upToMillis === undefined || each.upToMillis > 3_600_000 ? 'is-bad' : each.upToMillis > 60_000 ? 'is-warn' : '')}</td>
        <td class="number">${exact(each.count)}</td></tr>`;
    });
    return html`<section class="panel flush" aria-labelledby="backlog-h">
      <header><h2 id="backlog-h">Backlog by age</h2><p>${backlog.pending === 0 ? 'Nothing waits.' : backlog.oldestAt ? html`oldest from ${time(backlog.oldestAt)}` : nothing}</p></header>
      <table><thead class="hidden-text"><tr><th>Age</th><th>Share</th><th>Deliveries</th></tr></thead><tbody>${rows}</tbody></table>
      ${backlog.held > 0 ? html`<p class="foot soft small">${exact(backlog.held)} more are held for suspended subscriptions.</p>` : nothing}
      ${backlog.seen < backlog.pending * 0.9 ? html`<p class="foot soft small">Of ${exact(backlog.pending)} pending deliveries, the ${exact(backlog.seen)} that are due first were looked at.</p>` : nothing}
    </section>`;
  }

  worst() {
    const { worst } = this.overview;
    return html`<section class="panel flush" aria-labelledby="worst-h">
      <header><h2 id="worst-h">Worst endpoints</h2><p>by failed attempts</p></header>
      ${worst.length === 0
        ? html`<p class="foot soft">No endpoint has failed in the last hour, and nothing waits.</p>`
        : html`<div class="scroll"><table class="cards" id="worst">
            <thead><tr><th>Endpoint</th><th class="number">This minute</th><th class="number">Last minute</th><th class="number">Last hour</th><th class="number">Pending</th><th class="number">Dead</th></tr></thead>
            <tbody>${worst.map((one) => html`<tr>
              ${endpoint(one)}
              ${failed('This minute', one.failedThisMinute)}
              ${failed('Last minute', one.failedLastMinute)}
              ${failed('Last hour', one.failedLastHour)}
              <td data-label="Pending" class="number">${exact(one.pending)}</td>
              <td data-label="Dead" class="number">${one.deadLettered > 0 ? html`<a href=${to(one, '/dead-letters')}>${exact(one.deadLettered)}</a>` : '0'}</td></tr>`)}
            </tbody></table></div>`}
      ${this.suspended()}
    </section>`;
  }

  suspended() {
    const { suspended } = this.overview;
    return suspended.length === 0
      ? nothing
      : html`<h3 class="foot small">Suspended</h3><div class="scroll"><table class="cards" id="suspended">
          <thead><tr><th>Endpoint</th><th>Since</th><th class="number">Held</th></tr></thead>
          <tbody>${suspended.map((one) => html`<tr>
            ${endpoint(one)}
            <td data-label="Since">${time(one.since)}</td>
            <td data-label="Held" class="number">${exact(one.held)}</td></tr>`)}
          </tbody></table></div>`;
  }
}

// Where all projects are shown together, each row says and keeps its own.
const foreign = () => projects.all().length > 0 && projects.current() === '';
const to = (one, page = '') => api.path`subscriptions/${one.id}` + page + (foreign() ? api.query({ project: one.project }) : '');
const endpoint = (one) => html`<td><a class="two-lines" href=${to(one)}><b>${one.id}</b></a>${foreign() ? html`<div class="small break">project ${one.project}</div>` : nothing}${one.name || one.customer ? html`<div class="small break">${[one.name, one.customer && `customer ${one.customer}`].filter(Boolean).join(' · ')}</div>` : nothing}<span class="endpoint soft small" title=${one.endpoint}>${one.endpoint}</span></td>`;
const failed = (label, number) => html`<td data-label=${label} class="number ${number > 0 ? 'bad' : ''}">${exact(number)}</td>`;

// What a line of the plot has of a recorded minute.
const RECORDED = { delivered: (minute) => minute.delivered, retried: (minute) => minute.retried, deadLettered: (minute) => minute.givenUp };

/** The rates of one line, a second: a point for each whole minute, and then one for each sample. */
function line(name) {
  const points = minutes.map((minute) => {
    const from = Date.parse(minute.at);
    return { x: from + MINUTE_MILLIS / 2, y: RECORDED[name] ? RECORDED[name](minute) / 60 : average(name, from) };
  });
  const end = minutes.length ? Date.parse(minutes.at(-1).at) + MINUTE_MILLIS : 0;
  return [...points, ...past.filter((each) => each.at >= end).map((each) => ({ x: each.at, y: each.rates ? each.rates[name] : null }))];
}

function average(name, from) {
  const seen = past.filter((each) => each.rates && each.at >= from && each.at < from + MINUTE_MILLIS);
  return seen.length < ENOUGH_SAMPLES ? null : seen.reduce((sum, each) => sum + each.rates[name], 0) / seen.length;
}

function ratesConfig() {
  const end = past.at(-1)?.at ?? Date.now();
  const start = end - HOUR_MILLIS;
  return {
    type: 'line',
    data: {
      datasets: RATES.map(([name, label, ink]) => ({
        label,
        data: line(name),
        borderColor: colour(ink),
        backgroundColor: colour(ink),
      })),
    },
    options: {
      parsing: false,
      normalized: true,
      scales: {
        x: { type: 'linear', min: start, max: end, grid: { display: false }, ticks: { callback: (value) => clockTime(new Date(value)), maxRotation: 0, maxTicksLimit: 6, includeBounds: false } },
        y: { beginAtZero: true, suggestedMax: 1, border: { display: false }, ticks: { callback: rough, maxTicksLimit: 4 } },
      },
      plugins: {
        legend: { display: false },
        tooltip: { callbacks: { title: (items) => (items.length ? clockTime(new Date(items[0].parsed.x)) : ''), label: (item) => `${item.dataset.label}: ${rough(item.parsed.y)} per second` } },
      },
    },
  };
}

customElements.define('overview-page', OverviewPage);

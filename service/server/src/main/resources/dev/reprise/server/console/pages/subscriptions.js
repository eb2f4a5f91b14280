import { html, nothing } from 'lit';
import * as api from '../lib/api.js';
import { command } from '../lib/command.js';
import { menu } from '../lib/menu.js';
import { Page } from '../lib/page.js';
import { empty, failure, field, more } from '../lib/parts.js';
import { setQuery } from '../lib/router.js';
import { count } from '../lib/text.js';
import { bulk, each } from './subscription-actions.js';
import { newSubscription } from './subscription-form.js';
import { subscriptionTable } from './subscription-table.js';

export const title = 'Subscriptions';
export const render = (params, app) => html`<subscriptions-page .params=${params} .app=${app}></subscriptions-page>`;

const PAUSE_MILLIS = 250;

/** The filters of each state; each subscription is in one of them. */
const STATES = {
  '': ['All', {}],
  active: ['Active', { suspended: 'false', failing: 'false' }],
  failing: ['Failing', { suspended: 'false', failing: 'true' }],
  suspended: ['Suspended', { suspended: 'true' }],
};

class SubscriptionsPage extends Page {
  static properties = { items: { state: true }, next: { state: true }, busy: { state: true }, wrong: { state: true } };

  constructor() {
    super();
    this.items = [];
    this.next = null;
    this.topics = [];
    this.wrong = null;
  }

  async load() {
    this.filter = { topic: this.params.topic, search: this.params.search, suspended: this.params.suspended, failing: this.params.failing };
    const topics = [];
    await each('/v1/topics', {}, (one) => topics.push(one.name), this.signal);
    this.topics = topics;
    await this.show();
    if (this.params.new && this.app.can('manage')) {
      setQuery({ new: '' });
      this.updateComplete.then(() => this.create());
    }
    this.untilGone(() => clearTimeout(this.pause));
  }

  ask(cursor, limit) {
    this.asking?.abort();
    this.asking = new AbortController();
    return api.get(`/v1/subscriptions${api.query({ ...this.filter, limit, cursor })}`, { signal: this.asking.signal });
  }

  /** Shows the list from its start; as long as it was, after a change. */
  async show(limit = 50) {
    try {
      const page = await this.ask(undefined, Math.min(1000, Math.max(50, limit)));
      this.items = page.items;
      this.next = page.next;
      this.wrong = null;
    } catch (error) {
      if (error.name === 'AbortError') return;
      if (!this.ready) throw error;
      this.wrong = error;
    }
  }

  changed = () => this.show(this.items.length);

  async goOn() {
    this.busy = true;
    await this.attempt(async () => {
      const page = await this.ask(this.next);
      this.items = [...this.items, ...page.items];
      this.next = page.next;
    });
    this.busy = false;
  }

  use(name, value, pause = 0) {
    this.filterBy({ [name]: value || undefined }, pause);
  }

  filterBy(changes, pause = 0) {
    this.filter = { ...this.filter, ...changes };
    setQuery(this.filter);
    clearTimeout(this.pause);
    this.pause = setTimeout(() => this.show(), pause);
    this.requestUpdate();
  }

  async create() {
    if (await newSubscription(this.app, { topic: this.filter.topic, topics: this.topics })) this.changed();
  }

  async bulk(kind) {
    if (await bulk(this.app, kind, this.filter)) this.changed();
  }

  get filtered() {
    return Object.values(this.filter).some(Boolean);
  }

  view() {
    const manage = this.app.can('manage');
    return html`<div class="stack">
      <div class="head"><div><h1>Subscriptions</h1><p>Each gets the messages of a topic, and delivers them to one endpoint.</p></div>
        ${manage && this.topics.length ? html`<button class="primary" @click=${this.create}>New subscription</button>` : nothing}</div>
      ${this.items.length === 0 && !this.filtered && !this.wrong ? this.nothing() : html`${this.form(manage)}${this.wrong ? failure(this.wrong, () => this.show()) : this.list()}`}
    </div>`;
  }

  nothing() {
    if (this.topics.length === 0) {
      return html`<section class="panel">${empty('There is no topic to subscribe to', 'A subscription gets the messages of a topic, so a topic comes first.', html`<a class="button primary" href="topics?new=1">Create a topic</a>`)}</section>`;
    }
    return html`<section class="panel">${empty('Nobody is subscribed yet', 'What is published now is accepted, and reaches nobody.', this.app.can('manage') ? html`<button class="primary" @click=${this.create}>New subscription</button>` : nothing)}
      <div class="commands"><p class="soft small">Or in a terminal:</p>${command(`./reprise subscribe ${this.topics[0]} https://example.com/hook`, 'create a subscription')}</div></section>`;
  }

  /** The state that the filter is nearest to: a link may have one of the two alone. */
  get stateShown() {
    const { suspended, failing } = this.filter;
    if (suspended === 'true') return 'suspended';
    if (failing === 'true') return 'failing';
    return suspended === 'false' || failing === 'false' ? 'active' : '';
  }

  form(manage) {
    const { topic = '', search = '' } = this.filter;
    return html`<form class="filter" role="search" @submit=${(event) => event.preventDefault()}>
      ${field('Search', html`<input id="search" type="search" placeholder="Id, topic, endpoint, name, customer or label" .value=${search} @input=${(event) => this.use('search', event.target.value.trim(), PAUSE_MILLIS)}>`, { id: 'search' })}
      ${field('Topic', html`<select id="topic" @change=${(event) => this.use('topic', event.target.value)}>
        <option value="">All</option>
        ${this.topics.includes(topic) || !topic ? nothing : html`<option value=${topic} selected>${topic}</option>`}
        ${this.topics.map((one) => html`<option value=${one} ?selected=${one === topic}>${one}</option>`)}</select>`, { id: 'topic' })}
      ${field('State', html`<select id="in-state" @change=${(event) => this.filterBy({ suspended: undefined, failing: undefined, ...STATES[event.target.value][1] })}>
        ${Object.entries(STATES).map(([value, [text]]) => html`<option value=${value} ?selected=${value === this.stateShown}>${text}</option>`)}</select>`, { id: 'in-state', narrow: true })}
      ${manage && this.items.length
        ? menu('Actions for all subscriptions that fit the filter, on this page or not', [
            ['Suspend all …', () => this.bulk('suspend')],
            ['Release all …', () => this.bulk('release')],
            ['Delete all …', () => this.bulk('remove'), true],
          ], this.filtered ? 'Actions for all that fit' : 'Actions for all')
        : nothing}
    </form>`;
  }

  list() {
    if (this.items.length === 0) {
      return html`<section class="panel">${empty('No subscription fits', 'Change the filter, or start over.', html`<button @click=${() => this.filterBy({ topic: undefined, search: undefined, suspended: undefined, failing: undefined })}>Show all</button>`)}</section>`;
    }
    return html`<section class="panel flush">${subscriptionTable(this.app, this.items, this.changed)}</section>
      ${more(this.next, () => this.goOn(), this.next ? `The first ${count(this.items.length, 'subscription')}` : count(this.items.length, 'subscription'), this.busy)}`;
  }
}

customElements.define('subscriptions-page', SubscriptionsPage);

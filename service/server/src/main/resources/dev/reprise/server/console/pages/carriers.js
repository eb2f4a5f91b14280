import { html, nothing } from 'lit';
import * as api from '../lib/api.js';
import { command } from '../lib/command.js';
import { ask } from '../lib/dialog.js';
import { menu } from '../lib/menu.js';
import { Page } from '../lib/page.js';
import { badge, empty, field } from '../lib/parts.js';
import { setQuery } from '../lib/router.js';
import { count, exact, time } from '../lib/text.js';
import { editCarrier, newCarrier } from './carrier-form.js';
import { each, named } from './subscription-actions.js';

export const title = 'Carriers';
export const render = (params, app) => html`<carriers-page .params=${params} .app=${app}></carriers-page>`;

const EVERY_MILLIS = 5000;

class CarriersPage extends Page {
  static properties = { items: { state: true }, search: { state: true }, tested: { state: true } };

  constructor() {
    super();
    this.tested = new Map();
  }

  async load() {
    this.search = this.params.search ?? '';
    const [, types] = await Promise.all([this.show(), api.get('/v1/carrier-types', { signal: this.signal })]);
    this.types = types.items;
    this.every(EVERY_MILLIS, () => this.show().catch(() => {}));
  }

  async show() {
    const all = [];
    await each('/v1/carriers', {}, (one) => all.push(one), this.signal);
    this.items = all;
  }

  get operator() {
    return this.app.session.operator && this.app.can('manage');
  }

  async create() {
    if (await newCarrier(this.app, this.types)) await this.show();
  }

  async edit(carrier) {
    if (await editCarrier(this.app, carrier, this.types)) await this.show();
  }

  async test(carrier) {
    this.tell(carrier.name, { working: null, detail: 'Connecting …' });
    try {
      this.tell(carrier.name, await api.post(api.path`/v1/carriers/${carrier.name}/test`));
    } catch (error) {
      this.tell(carrier.name, { working: false, detail: error.message });
    }
  }

  tell(name, result) {
    this.tested = new Map(this.tested).set(name, result);
  }

  // Not `remove`: that is how the page itself is taken away.
  async destroy(carrier) {
    const users = [];
    const seen = await this.attempt(async () => {
      await each('/v1/subscriptions', {}, (one) => one.carrier === carrier.name && users.push(one.id));
      return true;
    });
    if (!seen) return;
    const done = await ask({
      title: `Delete the carrier ${carrier.name}?`,
      confirm: 'Delete',
      consequences: users.length
        ? [html`<b class="bad">${count(users.length, 'subscription')} of this project ${users.length === 1 ? 'needs' : 'need'} it:</b> <span class="break">${named(users)}</span>. It can be deleted once they are gone.`]
        : ['No subscription of this project needs it.', 'Its settings and secrets are removed.'],
      action: () => api.del(api.path`/v1/carriers/${carrier.name}`),
    });
    if (done) {
      this.app.tell(`${carrier.name} is deleted.`);
      await this.show();
    }
  }

  view() {
    const shown = this.items.filter((one) => `${one.name} ${one.type}`.toLowerCase().includes(this.search.trim().toLowerCase()));
    return html`<div class="stack">
      <div class="head"><div><h1>Carriers</h1><p>What reaches endpoints that are not URLs: SMS centres, mail relays, brokers and accounts; and forward proxies.</p></div>
        ${this.operator && this.items.length ? html`<button class="primary" @click=${this.create}>New carrier</button>` : nothing}</div>
      ${this.items.length === 0
        ? this.nothing()
        : html`${this.items.length > 8 || this.search ? this.form() : nothing}
            ${shown.length ? html`<div class="carriers">${shown.map((one) => this.carrier(one))}</div>` : html`<section class="panel">${empty('No carrier fits', html`No name has “${this.search}” in it.`, html`<button @click=${() => this.look('')}>Show all</button>`)}</section>`}`}
    </div>`;
  }

  nothing() {
    if (!this.operator) return html`<section class="panel">${empty('There is no carrier for you', 'An operator sets carriers up, and says which projects may use them.')}</section>`;
    return html`<section class="panel">${empty('There is no carrier yet', 'Endpoints that are URLs need none. For SMS, email and queues a carrier says how they are reached, once and for all subscriptions.', html`<button class="primary" @click=${this.create}>New carrier</button>`)}
      <div class="commands"><p class="soft small">Or in a terminal:</p>${command('./reprise carrier create relay --type smtp --set addresses=mail.example.com --set from=orders@example.com', 'create a carrier')}</div></section>`;
  }

  look(text) {
    this.search = text;
    setQuery({ search: text.trim() });
  }

  form() {
    return html`<form class="filter" role="search" @submit=${(event) => event.preventDefault()}>
      ${field('Search', html`<input id="search" type="search" placeholder="Name or kind" .value=${this.search} @input=${(event) => this.look(event.target.value)}>`, { id: 'search' })}</form>`;
  }

  carrier(one) {
    const { state } = one;
    const tested = this.tested.get(one.name);
    const id = `carrier-${one.name}`;
    return html`<section class="panel" aria-labelledby=${id}>
      <header><h2 id=${id} class="break">${one.name}</h2>${state.working ? badge('working', 'is-ok') : badge('at fault', 'is-bad')}</header>
      ${state.working ? nothing : html`<p class="note is-bad"><span class="break">${state.fault ?? 'The operator sees the reason.'}</span>${state.since ? html` <span class="small nowrap">since ${time(state.since)}</span>` : nothing}</p>`}
      <dl class="facts">
        <dt>Kind</dt><dd>${one.type} <span class="soft">${this.types.find((type) => type.name === one.type)?.protocols.join(', ')}</span></dd>
        ${Object.entries(one.settings).map(([name, value]) => html`<dt>${name}</dt><dd>${valueOf(value)}</dd>`)}
        <dt>Attempts</dt><dd>${exact(state.inFlight)} of ${exact(one.maxInFlight)} at the same time${one.maxPerSecond ? `, at most ${exact(one.maxPerSecond)} per second` : ''}</dd>
        ${state.connections ? html`<dt>Connections</dt><dd>${exact(state.connections)}</dd>` : nothing}
      </dl>
      ${tested ? html`<p class="note ${tested.working === null ? '' : tested.working ? 'is-ok' : 'is-bad'} break" role="status">${tested.working === null ? nothing : html`<b>${tested.working ? 'The test reached' : 'The test failed'}:</b> `}${tested.detail}</p>` : nothing}
      ${this.operator ? html`<div class="row"><button class="slim" @click=${() => this.test(one)} ?disabled=${tested?.working === null} aria-label=${`Test ${one.name}`}>Test</button>
        ${menu(`Actions for ${one.name}`, [['Edit …', () => this.edit(one)], ['Delete …', () => this.destroy(one), true]])}</div>` : nothing}
    </section>`;
  }
}

/** A setting; of a secret, only that it is set. */
function valueOf(value) {
  if (Array.isArray(value)) return value.join(', ');
  if (value && typeof value === 'object') return 'set' in value ? html`<span class="soft">${value.set ? `set, under the key ${value.key}` : 'not set'}</span>` : JSON.stringify(value);
  const text = String(value);
  return text.startsWith('-----BEGIN') ? html`<span class="soft">PEM, ${count(text.length, 'character')}</span>` : text;
}

customElements.define('carriers-page', CarriersPage);

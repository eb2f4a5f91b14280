import { html, nothing } from 'lit';
import * as api from '../lib/api.js';
import { Page } from '../lib/page.js';
import { crumbs, empty, failure, reasonedButton } from '../lib/parts.js';
import { count, exact, stopReason } from '../lib/text.js';
import { DEFAULT_SIZE, PAGE_SIZES, REASONS, STATES, deliveryTable, sizeOf, subscriptionsOf, withQuery } from './delivery-list.js';
import { listWords } from './sentences.js';
import { each } from './subscription-actions.js';
import { attemptNow, cancel } from './walks.js';

export const title = (params) => (params.id ? `Deliveries of ${params.id}` : 'Deliveries');
export const render = (params, app) => html`<deliveries-page .params=${params} .app=${app}></deliveries-page>`;

const COUNT_MILLIS = 5000;
const MESSAGE = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const sum = (subscriptions, figure) => subscriptions.reduce((all, each) => all + each.ledger[figure], 0);

class DeliveriesPage extends Page {
  static properties = { counts: { state: true }, wrongId: { state: true } };

  constructor() {
    super();
    this.wrongId = '';
  }

  load() {
    if (this.params.id) return this.loadDeliveries();
    return this.params.message ? this.loadMessage() : this.loadSubscriptions();
  }

  async loadSubscriptions() {
    this.subscriptions = await subscriptionsOf(this.params.topic, this.signal);
  }

  async loadMessage() {
    const { message, cursor } = this.params;
    const limit = sizeOf(this.params);
    this.suspended = new Set();
    [this.list] = await Promise.all([
      api.get(`/v1/deliveries${api.query({ message, limit, cursor })}`, { signal: this.signal }),
      each('/v1/subscriptions', { suspended: true }, (one) => this.suspended.add(one.id), this.signal),
    ]);
  }

  async loadDeliveries() {
    const { id } = this.params;
    const [list, subscription] = await Promise.all([this.part(), api.get(api.path`/v1/subscriptions/${id}`, { signal: this.signal })]);
    this.list = list;
    this.subscription = subscription;
    // The ledger has all but what is due: that is counted, and the list does not wait for it.
    this.counts = subscription.ledger;
    if (!this.follows) {
      this.follows = true;
      this.every(COUNT_MILLIS, () => this.recount());
    }
    setTimeout(() => this.recount());
  }

  /** Of dead letters the API finds those of a reason; of the rest it does not. */
  part() {
    const { id, status, reason, cursor } = this.params;
    const limit = sizeOf(this.params);
    return status === 'dead-lettered' && reason
      ? api.get(api.path`/v1/subscriptions/${id}/dead-letters` + api.query({ reason, limit, cursor }), { signal: this.signal })
      : api.get(`/v1/deliveries${api.query({ subscription: id, status, limit, cursor })}`, { signal: this.signal });
  }

  async recount() {
    try {
      this.counts = await api.get(api.path`/v1/subscriptions/${this.params.id}/counts`, { signal: this.signal });
    } catch {
      // The figures stay as they were; the list says what is wrong when it is asked for.
    }
  }

  view() {
    if (this.params.id) return this.ofSubscription();
    return this.params.message ? this.ofMessage() : this.choice();
  }

  /** First the topics, then the subscriptions of one. */
  choice() {
    const { topic } = this.params;
    return html`<div class="stack">
      ${topic ? crumbs(['Deliveries', 'deliveries'], [topic]) : nothing}
      <div class="head"><div><h1>${topic ? `Deliveries of ${topic}` : 'Deliveries'}</h1>
        <p>A delivery is one message for one subscription. ${topic ? 'Choose a subscription' : 'Choose a topic, then a subscription'}, or find a message by its id.</p></div>
        ${this.finder()}</div>
      ${this.subscriptions.length ? this.choices(topic) : this.nothingYet(topic)}
    </div>`;
  }

  nothingYet(topic) {
    return topic
      ? empty('No subscription', `Nothing is delivered of ${topic} until an endpoint subscribes to it.`, html`<a class="button" href="topics/${encodeURIComponent(topic)}">Go to the topic</a>`)
      : empty('No delivery yet', 'Create a topic and subscribe an endpoint to it; each message that is published becomes a delivery for each subscription.', html`<a class="button" href="topics">Go to the topics</a>`);
  }

  choices(topic) {
    const groups = topic ? this.subscriptions.map((each) => [each.id, [each]]) : [...Map.groupBy(this.subscriptions, (each) => each.topic)];
    const deliveries = (id, status) => withQuery(`subscriptions/${encodeURIComponent(id)}/deliveries`, { status });
    return html`<section class="panel flush"><div class="scroll"><table class="figures-table">
      <thead><tr><th scope="col">${topic ? 'Subscription' : 'Topic'}</th><th scope="col" class="wide">${topic ? 'Endpoint' : 'Subscriptions'}</th>
        <th scope="col" class="number">Pending</th><th scope="col" class="number">Dead letters</th><th scope="col" class="number">Delivered</th></tr></thead>
      <tbody>${groups.map(([name, all]) => html`<tr>
        <th scope="row" class="break"><a href=${topic ? deliveries(name) : withQuery('deliveries', { topic: name })}>${name}</a>
          ${topic && all[0].suspended ? html`<span class="badge is-warn">suspended</span>` : nothing}</th>
        <td class="wide break soft">${topic ? all[0].endpoint : exact(all.length)}</td>
        <td class="number">${this.figure(sum(all, 'pending'), topic && deliveries(name, 'pending'))}</td>
        <td class="number">${this.figure(sum(all, 'deadLettered'), topic && deliveries(name, 'dead-lettered'), 'bad')}</td>
        <td class="number">${exact(sum(all, 'delivered'))}</td></tr>`)}</tbody>
    </table></div></section>`;
  }

  figure(value, url, look = '') {
    return value === 0 ? html`<span class="soft">0</span>` : url ? html`<a class=${look} href=${url}>${exact(value)}</a>` : html`<span class=${look}>${exact(value)}</span>`;
  }

  finder() {
    const { id } = this.params;
    return html`<form class="filter finder" role="search" @submit=${this.find}>
      <div class="field"><label for="find">Message id</label>
        <input id="find" name="find" autocomplete="off" spellcheck="false" placeholder="01934c5e-7b2a-7c3d-…" .value=${this.params.message ?? ''}
          aria-invalid=${this.wrongId ? 'true' : 'false'} aria-describedby="find-wrong">
        <p class="wrong" id="find-wrong" role="status" ?hidden=${!this.wrongId}>${this.wrongId}</p></div>
      <button>Find</button>
    </form>`;
  }

  find(event) {
    event.preventDefault();
    const text = event.target.elements.find.value.trim();
    const [message, subscription] = text.split('@', 2);
    if (!MESSAGE.test(message)) {
      this.wrongId = text ? 'A message id looks like 01934c5e-7b2a-7c3d-8e4f-5a6b7c8d9e0f, or with @ and the subscription after it.' : 'Enter the id that the publish was answered with.';
      return;
    }
    const of = subscription || this.params.id;
    this.app.go(of ? `deliveries/${encodeURIComponent(`${message}@${of}`)}` : withQuery('deliveries', { message }));
  }

  ofMessage() {
    const { message } = this.params;
    return html`<div class="stack">
      ${crumbs(['Deliveries', 'deliveries'], [message])}
      <div class="head"><div><h1>Deliveries of one message</h1><p class="mono break">${message}</p></div>${this.finder()}</div>
      ${this.list.items.length
        ? html`<section class="panel flush"><div class="scroll"><table class="figures-table">
            <thead><tr><th scope="col">Subscription</th><th scope="col">State</th><th scope="col" class="number">Attempts</th><th scope="col" class="wide">Reason</th></tr></thead>
            <tbody>${this.list.items.map((each) => html`<tr><th scope="row" class="break"><a href="deliveries/${encodeURIComponent(each.id)}">${each.subscription}</a></th>
              <td><span class="badge ${each.status === 'delivered' ? 'is-ok' : each.status === 'pending' ? 'is-accent' : each.status === 'dead-lettered' ? 'is-bad' : ''}">${each.status}</span></td>
              <td class="number">${exact(each.attempts)}</td>
              <td class="wide soft">${listWords(each, this.suspended.has(each.subscription)).filter(Boolean).join(': ')}</td></tr>`)}</tbody>
          </table></div></section>${this.paging()}`
        : empty('No delivery of this message', 'Either no subscription wanted it, or its deliveries have ended and are older than the history that is kept.')}
    </div>`;
  }

  ofSubscription() {
    const { id, status, reason } = this.params;
    const { subscription, counts, list } = this;
    const here = `subscriptions/${encodeURIComponent(id)}/deliveries`;
    const limit = this.params.limit;
    return html`<div class="stack">
      ${crumbs(['Deliveries', 'deliveries'], [subscription.topic, withQuery('deliveries', { topic: subscription.topic })], [id])}
      <div class="head"><div><h1>Deliveries of ${id}</h1>
        <p class="break">To ${subscription.endpoint} · <a href="subscriptions/${encodeURIComponent(id)}">endpoint</a> · <a href="subscriptions/${encodeURIComponent(id)}/dead-letters">dead letters</a></p></div>
        ${this.finder()}</div>
      ${subscription.suspended ? html`<p class="note is-warn">This subscription is suspended: what is pending is held. <a href="subscriptions/${encodeURIComponent(id)}">Release it</a> to go on.</p>` : nothing}
      <nav class="tabs" aria-label="State">
        <a href=${withQuery(here, { limit })} aria-current=${status ? nothing : 'page'}>All</a>
        ${STATES.map(([name, text]) => html`<a href=${withQuery(here, { status: name, limit })} aria-current=${status === name ? 'page' : nothing}>${text} <span class="tally">${exact(this.countOf(name))}</span></a>`)}
      </nav>
      <div class="row between">
        <p class="soft small" role="status" id="due">${this.pendingText()}</p>
        ${this.app.can('manage') && counts.pending > 0
          ? html`<div class="row">${reasonedButton('attempt-all', 'Attempt all now …', () => this.attemptAll(), this.whyNotNow(), 'slim')}
              <button class="slim danger" id="cancel-all" @click=${this.cancelAll}>Cancel all pending …</button></div>`
          : nothing}
      </div>
      ${status === 'dead-lettered'
        ? html`<div class="row"><div class="field narrow"><label for="reason">Given up because</label>
            <select id="reason" @change=${(event) => this.app.go(withQuery(here, { status, reason: event.target.value, limit }))}>
              <option value="">of any reason</option>
              ${REASONS.map((each) => html`<option value=${each} ?selected=${each === reason}>${stopReason(each)}</option>`)}
            </select></div></div>`
        : nothing}
      ${this.failure ? failure(this.failure) : nothing}
      ${list.items.length ? html`<section class="panel flush">${deliveryTable(list.items, `Deliveries of ${id}`, { suspended: Boolean(subscription.suspended) })}</section>` : this.noneHere()}
      ${this.paging()}
    </div>`;
  }

  countOf(state) {
    return { pending: this.counts.pending, delivered: this.counts.delivered, 'dead-lettered': this.counts.deadLettered, discarded: this.counts.discarded, expired: this.counts.expired, moved: this.counts.moved }[state];
  }

  pendingText() {
    const { pending, due, later, seen, complete } = this.counts;
    if (pending === 0) return 'Nothing is pending.';
    if (due === undefined) return `${count(pending, 'delivery', 'deliveries')} pending.`;
    const of = complete ? '' : ` of the first ${exact(seen)}`;
    return `${count(pending, 'delivery', 'deliveries')} pending: ${exact(due)}${of} ${due === 1 ? 'is' : 'are'} due, ${exact(later)} wait${later === 1 ? 's' : ''} for a later retry.`;
  }

  /** Why an attempt of all that is pending would change nothing; empty if it may. It ends a silence, too. */
  whyNotNow() {
    const { suspended, health } = this.subscription;
    const { later, complete } = this.counts;
    if (suspended) return 'It is suspended: release it first.';
    return later === 0 && complete && !health?.pausedUntil && !health?.hold ? 'Nothing waits for a later retry.' : '';
  }

  noneHere() {
    const { status, cursor } = this.params;
    if (this.list.next) return nothing;
    if (cursor) return empty('No more', 'The list ends here; what was on this page has gone on meanwhile.');
    if (status === 'delivered' && this.counts.delivered > 0) return empty('None is remembered', 'They were delivered, and that was longer ago than the history that is kept.');
    if (status) return empty(`No delivery is ${status}`, 'Choose another state above.');
    return empty('No delivery', `None is kept or remembered. Publish to ${this.subscription.topic}, or send a test message from the endpoint's page.`, html`<a class="button" href="subscriptions/${encodeURIComponent(this.params.id)}">Go to the endpoint</a>`);
  }

  paging() {
    const { list } = this;
    const { id, cursor, ...rest } = this.params;
    const limit = sizeOf(this.params);
    const here = `subscriptions/${encodeURIComponent(id)}/deliveries`;
    const looked = list.seen > list.items.length ? ` Looked at ${count(list.seen, 'record')} for them.` : '';
    return html`<div class="row between paging">
      <p class="soft small" role="status">${list.next && !list.items.length
        ? `Looked at ${count(list.seen, 'record')}, and none is of this kind so far.`
        : `${exact(list.items.length)} on this page.${looked}`}</p>
      <div class="row">
        <div class="row"><label for="size">Rows</label>
          <select id="size" @change=${(event) => this.app.go(withQuery(here, { ...rest, limit: Number(event.target.value) === DEFAULT_SIZE ? '' : event.target.value }))}>
            ${PAGE_SIZES.map((each) => html`<option value=${each} ?selected=${each === limit}>${exact(each)}</option>`)}
          </select></div>
        ${cursor ? html`<a class="button" href=${withQuery(here, rest)}>First page</a>` : nothing}
        ${list.next ? html`<a class="button ${list.items.length ? '' : 'primary'}" rel="next" href=${withQuery(here, { ...rest, cursor: list.next })}>${list.items.length ? 'Next page' : 'Go on looking'}</a>` : nothing}
      </div>
    </div>`;
  }

  async attemptAll() {
    const { later, complete } = this.counts;
    if ((await attemptNow(this.params.id, { waiting: complete ? later : null, suspended: Boolean(this.subscription.suspended) })) !== undefined) this.refresh();
  }

  async cancelAll() {
    const { deadLetters, deadLetterTarget } = this.subscription;
    if ((await cancel(this.params.id, { waiting: this.counts.pending, discards: deadLetters === 'discard', target: deadLetterTarget })) !== undefined) this.refresh();
  }
}

customElements.define('deliveries-page', DeliveriesPage);

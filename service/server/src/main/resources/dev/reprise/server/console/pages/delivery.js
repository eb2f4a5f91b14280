import { html, nothing } from 'lit';
import * as api from '../lib/api.js';
import { Page } from '../lib/page.js';
import { badge, crumbs, missing } from '../lib/parts.js';
import { clockTime, span, stopReason, time, visible } from '../lib/text.js';
import { withQuery } from './delivery-list.js';
import { endSentence, nextSentence, waitSentence, waitingSentence } from './sentences.js';
import { attemptNow, cancel, redrive } from './walks.js';

export const title = (params) => `Delivery ${params.id}`;
export const render = (params, app) => html`<delivery-page .params=${params} .app=${app}></delivery-page>`;

const LOOK_MILLIS = 2000;
const TICK_MILLIS = 1000;
// A response of more lines than this is folded.
const LONG_RESPONSE = 400;

const EVENTS = {
  redriven: 'Redriven from the dead letters',
  expired: 'Its lifetime was over',
  purged: 'The dead letter was purged',
  unreadable: 'Its stored record could not be read',
  requested: 'Somebody asked for an attempt now',
  retired: 'The dead letter was deleted: it had been kept for as long as any is',
  dropped: 'Dropped: it was held for a suspended subscription, beyond its bounds',
  cancelled: 'Cancelled: somebody asked for no further attempt',
  moved: 'Another subscription accepted it',
};

const pretty = (value) => visible(typeof value === 'string' ? value : JSON.stringify(value, null, 2));

class DeliveryPage extends Page {
  static properties = { delivery: { state: true }, subscription: { state: true } };

  async load() {
    const { id } = this.params;
    const [delivery, subscription] = await Promise.all([
      api.find(api.path`/v1/deliveries/${id}`, { signal: this.signal }),
      api.find(api.path`/v1/subscriptions/${id.slice(id.indexOf('@') + 1)}`, { signal: this.signal }),
    ]);
    this.delivery = delivery;
    this.subscription = subscription;
    if (!this.follows) {
      this.follows = true;
      this.every(LOOK_MILLIS, () => this.delivery?.status === 'pending' && this.refresh());
      this.every(TICK_MILLIS, () => this.delivery?.status === 'pending' && this.requestUpdate());
    }
  }

  view() {
    const { delivery } = this;
    if (!delivery) {
      return html`<div class="stack">${crumbs(['Deliveries', 'deliveries'], [this.params.id])}
        ${missing('No such delivery', 'Either the id is mistyped, or the delivery has ended and is older than the history that is kept.', html`<a class="button" href="deliveries">Find another</a>`)}</div>`;
    }
    const here = `subscriptions/${encodeURIComponent(delivery.subscription)}`;
    return html`<div class="stack">
      ${crumbs(['Deliveries', 'deliveries'], [delivery.topic, withQuery('deliveries', { topic: delivery.topic })], [delivery.subscription, `${here}/deliveries`], [delivery.message.slice(0, 8)])}
      <div class="head"><div><h1>Delivery to ${delivery.subscription} ${badge(delivery.inFlight ? 'in flight' : delivery.status, delivery.inFlight ? 'is-accent' : undefined)}</h1>
        <p>Message <code>${delivery.message}</code> · <a href=${withQuery('deliveries', { message: delivery.message })}>its other deliveries</a> · <a href=${here}>the endpoint</a></p></div>
        ${this.actions()}</div>
      ${this.verdict()}
      <div class="columns delivery">
        <section class="panel" aria-labelledby="timeline-h"><header><h2 id="timeline-h">Timeline</h2><p>Local time; hover for UTC</p></header>${this.timeline()}</section>
        <section class="panel" aria-labelledby="message-h"><header><h2 id="message-h">Message</h2></header>${this.message()}</section>
      </div>
    </div>`;
  }

  actions() {
    const { status } = this.delivery;
    if (!this.app.can('manage')) return nothing;
    if (status === 'pending') {
      return html`<div class="row"><button id="attempt" @click=${this.attemptNow}>Attempt now …</button>
        <button id="cancel" class="danger" @click=${this.cancel}>Cancel …</button></div>`;
    }
    return this.isKept() ? html`<div class="row"><button id="redrive" class="primary" @click=${this.redrive}>Redrive …</button></div>` : nothing;
  }

  /** Whether it is a dead letter, which has its payload still. */
  isKept() {
    const { status, payload } = this.delivery;
    return status === 'dead-lettered' || (status === 'expired' && payload !== null);
  }

  /** The one thing that is asked for at 3 a.m.: what happens next, and why. */
  verdict() {
    const { delivery, subscription } = this;
    const look = { delivered: 'is-ok', 'dead-lettered': 'is-bad', expired: 'is-bad', pending: 'is-accent' }[delivery.status] ?? '';
    return html`<section class="verdict ${look}" aria-label="What is next">
      <p id="sentence">${delivery.nextAttempt ? nextSentence(delivery.nextAttempt) : endSentence(delivery)}</p>
      ${delivery.nextAttempt
        ? html`<p class="soft" id="waits">${subscription?.suspended
            ? html`The subscription is suspended: nothing is attempted before it is <a href="subscriptions/${encodeURIComponent(delivery.subscription)}">released</a>.`
            : waitingSentence(delivery.nextAttempt.waitingFor)}</p>`
        : nothing}
    </section>`;
  }

  timeline() {
    const { delivery } = this;
    let before = new Date(delivery.publishedAt);
    const when = (at) => {
      const date = new Date(at);
      const newDay = date.toDateString() !== before.toDateString();
      const gap = date - before;
      before = date;
      return html`<span class="when">${time(at, { short: true })}${newDay ? html`<br>${date.toLocaleDateString(undefined, { day: '2-digit', month: 'short' })}` : nothing}${gap >= 1000 ? html`<br><span class="gap">+ ${span(gap)}</span>` : nothing}</span>`;
    };
    return html`<ol class="timeline" aria-label="History of the delivery, oldest first">
      <li>${when(delivery.publishedAt)}<span class="rail" aria-hidden="true"></span><div class="what"><p><b>Published</b> to ${delivery.topic}</p></div></li>
      ${delivery.history.map((event) => html`<li class=${this.look(event)}>${when(event.at)}<span class="rail" aria-hidden="true"></span><div class="what">${this.event(event)}</div></li>`)}
      ${delivery.nextAttempt
        ? html`<li class="is-next"><span class="when">${time(delivery.nextAttempt.at, { short: true })}</span><span class="rail" aria-hidden="true"></span>
            <div class="what"><p><b>${delivery.inFlight ? `Attempt ${delivery.attempts + 1} is under way` : `Attempt ${delivery.attempts + 1}`}</b></p>
              <p class="soft small">${delivery.inFlight ? 'Its answer has not come yet.' : html`Because ${waitSentence(delivery.nextAttempt)}.`}</p></div></li>`
        : nothing}
    </ol>
    ${delivery.attempts > 0 && !delivery.history.some((each) => each.kind === 'attempt') ? html`<p class="soft small">Its ${delivery.attempts} attempts are older than the history that is kept.</p>` : nothing}`;
  }

  look(event) {
    if (event.outcome) return event.outcome.succeeded ? 'is-ok' : 'is-bad';
    return ['expired', 'purged', 'unreadable', 'retired', 'dropped', 'cancelled'].includes(event.kind) ? 'is-bad' : '';
  }

  event(event) {
    const { outcome, after } = event;
    if (event.kind === 'receipt' && outcome) {
      return html`<p><b>The carrier reports:</b> ${visible(outcome.summary)}</p>
        <p class="soft small">On attempt ${event.attempt}, which it had taken.</p>${this.response(outcome.response)}`;
    }
    if (event.kind !== 'attempt' || !outcome) {
      return html`<p><b>${EVENTS[event.kind] ?? event.kind}</b></p>${this.afterwards(event)}`;
    }
    return html`<p><b>Attempt ${event.attempt}</b> <span class=${outcome.succeeded ? 'ok' : 'bad'}>${visible(outcome.summary)}</span>
        <span class="soft">after ${span(outcome.durationMillis)}${outcome.address ? html` from <span class="mono">${outcome.address}</span>` : nothing}</span></p>
      ${event.mayRepeat ? html`<p class="soft small">The receiver may have had it before: ${event.mayRepeat.replace('_', ' ')}.</p>` : nothing}
      ${this.response(outcome.response)}
      ${after.status === 'pending' || after.status === 'delivered' ? nothing : html`<p class="small">Given up: ${stopReason(after.stopReason)}.</p>`}
      ${this.afterwards(event)}`;
  }

  /** Why the next attempt was due when it was. */
  afterwards(event) {
    if (!event.due || event.due.kind === 'requested') return nothing;
    const { due, after } = event;
    return html`<p class="soft small">${due.kind === 'retry' ? `Retry ${due.retry} was put at` : 'The next attempt was put at'} ${clockTime(new Date(after.at))}: ${waitSentence(due)}.</p>`;
  }

  /** Only ever text, whatever the endpoint has sent. */
  response(text) {
    if (!text) return nothing;
    const shown = html`<pre class="response" role="group" tabindex="0" aria-label="Answer of the endpoint">${visible(text)}</pre>`;
    return text.length > LONG_RESPONSE ? html`<details><summary class="small">What it answered</summary>${shown}</details>` : shown;
  }

  message() {
    const { delivery } = this;
    const { payload } = delivery;
    const attributes = Object.entries(payload?.attributes ?? {});
    return html`<dl class="facts">
        <dt>Message</dt><dd class="mono small">${delivery.message}</dd>
        <dt>Topic</dt><dd><a href="topics/${encodeURIComponent(delivery.topic)}">${delivery.topic}</a></dd>
        <dt>Published</dt><dd>${time(delivery.publishedAt)}</dd>
        ${payload ? html`<dt>Content type</dt><dd><code>${visible(payload.contentType)}</code></dd>` : nothing}
        ${attributes.map(([name, value]) => html`<dt class="mono">${visible(name)}</dt><dd>${pretty(value)}</dd>`)}
      </dl>
      ${payload
        ? html`<h3>Body${payload.bodyBase64 === undefined ? nothing : ', in Base64'}</h3>
            <pre role="group" tabindex="0" aria-label="Body of the message">${payload.bodyBase64 ?? pretty(payload.body)}</pre>
            ${payload.bodies ? html`<h3>Bodies for single protocols</h3><pre role="group" tabindex="0" aria-label="Bodies for single protocols">${pretty(payload.bodies)}</pre>` : nothing}`
        : html`<p class="soft">The body is not kept: the delivery has ended.</p>`}`;
  }

  async attemptNow() {
    const { subscription, message } = this.delivery;
    if ((await attemptNow(subscription, { message, suspended: Boolean(this.subscription?.suspended) })) !== undefined) this.refresh();
  }

  async cancel() {
    const { subscription, message } = this.delivery;
    const { deadLetters, deadLetterTarget } = this.subscription ?? {};
    if ((await cancel(subscription, { message, discards: deadLetters === 'discard', target: deadLetterTarget })) !== undefined) this.refresh();
  }

  async redrive() {
    const { subscription, message } = this.delivery;
    if ((await redrive([subscription], { message }, { about: 'this dead letter' })) !== undefined) this.refresh();
  }
}

customElements.define('delivery-page', DeliveryPage);

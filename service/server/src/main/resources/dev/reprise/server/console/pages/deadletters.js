import { html, nothing } from 'lit';
import * as api from '../lib/api.js';
import { Page } from '../lib/page.js';
import { bar, crumbs, empty, failure, missing } from '../lib/parts.js';
import { ago, count, exact, stopReason } from '../lib/text.js';
import { parts } from '../lib/walk.js';
import { REASONS, deliveryTable, subscriptionsOf, withQuery } from './delivery-list.js';
import { purge, redrive } from './walks.js';

export const title = (params) => (params.id ? `Dead letters of ${params.id}` : 'Dead letters');
export const render = (params, app) => html`<dead-letters-page .params=${params} .app=${app}></dead-letters-page>`;

const FILTER = ['reason', 'text', 'attributes', 'message', 'diedFrom', 'diedTo'];
const SHOWN = 50;
const ALL = 'all subscriptions';

/** A time of RFC 3339 as the browser's control for local times has it, and back. */
const toLocal = (rfc3339) => {
  const date = new Date(rfc3339);
  return Number.isNaN(date.getTime()) ? '' : new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
};
const fromLocal = (text) => (text ? new Date(text).toISOString() : '');

class DeadLettersPage extends Page {
  static properties = { found: { state: true }, letters: { state: true }, counting: { state: true }, looking: { state: true }, wrong: { state: true }, wrongFilter: { state: true }, seen: { state: true } };

  constructor() {
    super();
    this.wrong = null;
    this.wrongFilter = '';
  }

  /** The filter as parameters of a query; those that are empty are absent. */
  get parameters() {
    return Object.fromEntries(FILTER.filter((name) => this.params[name]).map((name) => [name, this.params[name]]));
  }

  /** The filter as the body of a redrive has it. */
  get filter() {
    const { attributes, ...rest } = this.parameters;
    return attributes ? { ...rest, attributes: JSON.parse(attributes) } : rest;
  }

  async load() {
    const { id, topic } = this.params;
    this.everything = await subscriptionsOf(undefined, this.signal);
    const chosen = this.everything.filter((each) => (id ? each.id === id : !topic || each.topic === topic));
    this.subscriptions = chosen.filter((each) => each.ledger.deadLettered + each.ledger.expired > 0);
    this.missing = Boolean(id) && chosen.length === 0;
    this.found = new Map();
    this.letters = [];
    this.seen = 0;
    this.wrong = null;
    this.at = { subscription: 0, cursor: undefined };
    // The page is there at once; the figures come in while they are counted.
    this.count();
    this.look();
  }

  async count() {
    this.counting = true;
    const mine = this.found;
    try {
      for (const { id } of this.subscriptions) {
        for await (const part of parts((cursor) => api.get(api.path`/v1/subscriptions/${id}/dead-letters/summary` + api.query({ ...this.parameters, cursor }), { signal: this.signal }))) {
          if (mine !== this.found) return;
          const sums = mine.get(id) ?? new Map();
          part.reasons.forEach(({ reason, count: some, oldest, newest }) => {
            const before = sums.get(reason);
            sums.set(reason, before ? { count: before.count + some, oldest: before.oldest < oldest ? before.oldest : oldest, newest: before.newest > newest ? before.newest : newest } : { count: some, oldest, newest });
          });
          mine.set(id, sums);
          this.requestUpdate();
        }
      }
    } catch (error) {
      if (error.name !== 'AbortError') this.wrong = error;
    } finally {
      if (mine === this.found) this.counting = false;
    }
  }

  /** Lists the next letters, one subscription after the other, until some were found or so much was looked at. */
  async look() {
    this.looking = true;
    const { at } = this;
    const fresh = [];
    try {
      while (at.subscription < this.subscriptions.length && fresh.length < SHOWN) {
        const { id } = this.subscriptions[at.subscription];
        const page = await api.get(api.path`/v1/subscriptions/${id}/dead-letters` + api.query({ ...this.parameters, limit: SHOWN - fresh.length, cursor: at.cursor }), { signal: this.signal });
        if (at !== this.at) return;
        fresh.push(...page.items);
        this.seen += page.seen ?? page.items.length;
        at.cursor = page.next ?? undefined;
        if (!page.next) at.subscription++;
        // A scan that was cut off without a find is gone on with by the user.
        else if (page.items.length === 0) break;
      }
    } catch (error) {
      if (error.name !== 'AbortError') this.wrong = error;
    }
    if (at !== this.at) return;
    this.letters = [...this.letters, ...fresh];
    this.looking = false;
  }

  get here() {
    return this.params.id ? `subscriptions/${encodeURIComponent(this.params.id)}/dead-letters` : 'dead-letters';
  }

  to(changes) {
    const { topic } = this.params;
    return withQuery(this.here, { topic: this.params.id ? undefined : topic, ...this.parameters, ...changes });
  }

  /** The matches by reason, over all subscriptions shown. */
  byReason() {
    const sums = new Map();
    for (const reasons of this.found.values()) {
      for (const [reason, { count: some, oldest, newest }] of reasons) {
        const before = sums.get(reason) ?? { count: 0, oldest, newest };
        sums.set(reason, { count: before.count + some, oldest: before.oldest < oldest ? before.oldest : oldest, newest: before.newest > newest ? before.newest : newest });
      }
    }
    return [...sums].sort(([, a], [, b]) => b.count - a.count);
  }

  matchesOf(id) {
    return [...(this.found.get(id)?.values() ?? [])].reduce((sum, each) => sum + each.count, 0);
  }

  view() {
    const { id, topic } = this.params;
    if (this.missing) return html`<div class="stack">${crumbs(['Dead letters', 'dead-letters'], [id])}${missing('No such subscription', 'It may have been removed, or belong to another project.', html`<a class="button" href="subscriptions">Go to the subscriptions</a>`)}</div>`;
    const filtered = Object.keys(this.parameters).length > 0;
    return html`<div class="stack">
      ${id ? crumbs(['Dead letters', 'dead-letters'], [id]) : topic ? crumbs(['Dead letters', 'dead-letters'], [topic]) : nothing}
      <div class="head"><div><h1>Dead letters${id ? ` of ${id}` : topic ? ` of ${topic}` : ''}</h1>
        <p>Deliveries that were given up, and are kept until somebody redrives or purges them, or their retention is over.${id ? html` <a href="subscriptions/${encodeURIComponent(id)}">The endpoint</a>` : nothing}</p></div></div>
      ${this.subscriptions.length || filtered ? html`${this.search()}${this.wrong ? failure(this.wrong, () => this.refresh()) : this.results(filtered)}` : empty('No dead letters', 'Nothing was given up. A delivery that runs out of retries, or that its endpoint refuses for good, would be here.', html`<a class="button" href="deliveries">Look at the deliveries</a>`)}
    </div>`;
  }

  search() {
    const { reason = '', text = '', attributes = '', message = '', diedFrom, diedTo, topic } = this.params;
    const topics = [...new Set(this.everything.map((each) => each.topic))].sort();
    const more = Boolean(attributes || message || diedFrom || diedTo);
    return html`<form class="panel search" role="search" @submit=${this.submit}>
      <div class="fields">
        ${this.params.id ? nothing : html`<div class="field"><label for="topic">Topic</label><select id="topic" name="topic"><option value="">all topics</option>${topics.map((each) => html`<option value=${each} ?selected=${each === topic}>${each}</option>`)}</select></div>`}
        <div class="field"><label for="reason">Given up because</label><select id="reason" name="reason"><option value="">of any reason</option>${REASONS.map((each) => html`<option value=${each} ?selected=${each === reason}>${stopReason(each)}</option>`)}</select></div>
        <div class="field"><label for="text">Last outcome has</label><input id="text" name="text" .value=${text} placeholder="503, timeout, …" autocomplete="off"></div>
      </div>
      <details ?open=${more}><summary>Attributes, message and time</summary>
        <div class="fields">
          <div class="field"><label for="attributes">Attributes, as JSON</label><input id="attributes" name="attributes" class="mono" .value=${attributes} placeholder='{"region": ["eu"]}' spellcheck="false" autocomplete="off" aria-invalid=${this.wrongFilter ? 'true' : 'false'} aria-describedby="attributes-wrong">
            <p class="wrong" id="attributes-wrong" role="status" ?hidden=${!this.wrongFilter}>${this.wrongFilter}</p></div>
          <div class="field"><label for="message">Message id</label><input id="message" name="message" class="mono" .value=${message} spellcheck="false" autocomplete="off"></div>
          <div class="field"><label for="diedFrom">Given up from</label><input id="diedFrom" name="diedFrom" type="datetime-local" .value=${diedFrom ? toLocal(diedFrom) : ''}></div>
          <div class="field"><label for="diedTo">Given up before</label><input id="diedTo" name="diedTo" type="datetime-local" .value=${diedTo ? toLocal(diedTo) : ''}></div>
        </div></details>
      <div class="row"><button class="primary">Search</button>${Object.keys(this.parameters).length ? html`<a class="button" href=${withQuery(this.here, { topic })}>Everything</a>` : nothing}</div>
    </form>`;
  }

  submit(event) {
    event.preventDefault();
    const form = new FormData(event.target);
    const wanted = Object.fromEntries(['topic', ...FILTER].map((name) => [name, String(form.get(name) ?? '').trim()]));
    this.wrongFilter = '';
    if (wanted.attributes) {
      try {
        const read = JSON.parse(wanted.attributes);
        if (read === null || typeof read !== 'object' || Array.isArray(read)) throw new SyntaxError('it must be an object such as {"region": ["eu"]}');
      } catch (error) {
        this.wrongFilter = `This is no filter: ${error.message}`;
        return;
      }
    }
    wanted.diedFrom = fromLocal(wanted.diedFrom);
    wanted.diedTo = fromLocal(wanted.diedTo);
    this.app.go(withQuery(this.here, wanted));
  }

  results(filtered) {
    const reasons = this.byReason();
    const matches = reasons.reduce((sum, [, each]) => sum + each.count, 0);
    if (!this.counting && !this.looking && matches === 0 && !this.letters.length) {
      return filtered ? empty('No dead letter matches', 'Take something out of the search above.') : empty('No dead letters', 'They were redriven, purged, or their retention is over.');
    }
    return html`
      <div class="row between"><p role="status" id="matches"><b>${exact(matches)}</b> ${filtered ? `match${matches === 1 ? 'es' : ''}` : matches === 1 ? 'dead letter' : 'dead letters'}${this.counting ? ' so far, counting …' : ''}${this.params.id || this.subscriptions.length < 2 ? '' : `, in ${count([...this.found.keys()].filter((each) => this.matchesOf(each)).length, 'subscription')}`}</p>
        ${this.app.can('manage') && matches > 0
          ? html`<div class="row"><button id="redrive" class="primary" ?disabled=${this.counting} @click=${() => this.redrive()}>Redrive ${exact(matches)} …</button>
              <button id="purge" class="danger" ?disabled=${this.counting} @click=${() => this.purge(matches)}>Purge ${exact(matches)} …</button></div>`
          : nothing}</div>
      <div class="columns">
        <section class="panel flush" aria-labelledby="reasons-h"><header><h2 id="reasons-h">By reason</h2></header><div class="scroll"><table id="reasons">
          <thead><tr><th scope="col">Given up because</th><th scope="col" class="number">Letters</th><th scope="col" class="wide"><span class="hidden-text">Share</span></th><th scope="col" class="wide">Newest</th></tr></thead>
          <tbody>${reasons.map(([reason, each]) => html`<tr data-reason=${reason}><th scope="row"><a href=${this.to({ reason })}>${stopReason(reason)}</a></th><td class="number">${exact(each.count)}</td>
            <td class="bar-cell wide">${bar(each.count / matches, 'is-bad')}</td><td class="wide nowrap">${ago(each.newest)}</td></tr>`)}</tbody></table></div></section>
        ${this.params.id ? nothing : this.bySubscription()}
      </div>
      ${this.list()}`;
  }

  bySubscription() {
    const some = this.subscriptions.map((each) => [each, this.matchesOf(each.id)]).filter(([, matches]) => matches).sort(([, a], [, b]) => b - a);
    return html`<section class="panel flush" aria-labelledby="subscriptions-h"><header><h2 id="subscriptions-h">By subscription</h2></header><div class="scroll tall" role="group" tabindex="0" aria-labelledby="subscriptions-h"><table>
      <thead><tr><th scope="col">Subscription</th><th scope="col" class="wide">Endpoint</th><th scope="col" class="number">Letters</th></tr></thead>
      <tbody>${some.map(([each, matches]) => html`<tr><th scope="row" class="break"><a href=${withQuery(`subscriptions/${encodeURIComponent(each.id)}/dead-letters`, this.parameters)}>${each.id}</a></th>
        <td class="wide soft break">${each.endpoint}</td><td class="number">${exact(matches)}</td></tr>`)}</tbody></table></div></section>`;
  }

  list() {
    const ends = this.at.subscription >= this.subscriptions.length;
    return html`<section class="panel flush" aria-label="Letters">${this.letters.length ? deliveryTable(this.letters, 'Dead letters, oldest first', { ended: 'Given up', whose: true }) : html`<p class="soft padded">${this.looking ? 'Looking …' : 'None so far.'}</p>`}</section>
      <div class="row between"><p class="soft small" role="status">${count(this.letters.length, 'letter')} shown${this.seen > this.letters.length ? `, ${exact(this.seen)} looked at` : ''}. A click on one shows its attempts.</p>
        ${ends ? nothing : html`<button id="more" ?disabled=${this.looking} @click=${this.look}>${this.letters.length ? 'Show more' : 'Go on looking'}</button>`}</div>`;
  }

  ids() {
    return this.subscriptions.map((each) => each.id).filter((id) => this.matchesOf(id) > 0);
  }

  whose() {
    const ids = this.ids();
    return ids.length === 1 ? ids[0] : count(ids.length, 'subscription');
  }

  async redrive() {
    const changed = await redrive(this.ids(), this.filter, { targets: this.everything, about: `dead letters of ${this.whose()}` });
    if (changed !== undefined) this.refresh();
  }

  async purge(matches) {
    const changed = await purge(this.ids(), this.parameters, { matched: matches, about: `${count(matches, 'dead letter')} of ${this.whose()}`, word: this.ids().length === 1 ? this.ids()[0] : ALL });
    if (changed !== undefined) this.refresh();
  }
}

customElements.define('dead-letters-page', DeadLettersPage);

import { html, nothing } from 'lit';
import * as api from '../lib/api.js';
import { command } from '../lib/command.js';
import { openDialog } from '../lib/dialog.js';
import { menu } from '../lib/menu.js';
import { Page } from '../lib/page.js';
import { empty, failure, field, more } from '../lib/parts.js';
import { setQuery } from '../lib/router.js';
import { count, exact, time } from '../lib/text.js';
import { deleteTopic, policyWords } from './topic-actions.js';

export const title = 'Topics';
export const render = (params, app) => html`<topics-page .params=${params} .app=${app}></topics-page>`;

const PAUSE_MILLIS = 250;

class TopicsPage extends Page {
  static properties = { items: { state: true }, next: { state: true }, busy: { state: true }, wrong: { state: true } };

  constructor() {
    super();
    this.items = [];
    this.next = null;
    this.wrong = null;
  }

  async load() {
    this.search = this.params.search ?? '';
    this.presets = (await api.get('/v1/presets', { signal: this.signal })).filter((one) => one.healthyRetryPolicy);
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
    return api.get(`/v1/topics${api.query({ search: this.search, limit, cursor })}`, { signal: this.asking.signal });
  }

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

  async goOn() {
    this.busy = true;
    await this.attempt(async () => {
      const page = await this.ask(this.next);
      this.items = [...this.items, ...page.items];
      this.next = page.next;
    });
    this.busy = false;
  }

  look(text, pause = PAUSE_MILLIS) {
    this.search = text.trim();
    setQuery({ search: this.search });
    clearTimeout(this.pause);
    this.pause = setTimeout(() => this.show(), pause);
    this.requestUpdate();
  }

  async create() {
    let wrong = '';
    const made = await openDialog({
      title: 'New topic',
      confirm: 'Create',
      body: () => html`${field('Name', html`<input id="topic-name" name="name" required autofocus autocomplete="off" spellcheck="false" aria-invalid=${wrong ? 'true' : 'false'}
          aria-describedby=${wrong ? 'topic-name-hint topic-name-wrong' : 'topic-name-hint'}>`, { id: 'topic-name', hint: '1 to 256 letters (A–Z, a–z), digits and - _ + .', wrong })}
        ${field('Retries', html`<select id="topic-preset" name="preset" aria-describedby="topic-preset-hint">
          <option value="">the preset of the protocol</option>
          ${this.presets.map((one) => html`<option value=${one.name}>preset ${one.name}</option>`)}</select>`, { id: 'topic-preset', hint: 'The policy editor has everything else, once the topic is there.' })}`,
      action: async (form) => {
        const name = form.get('name').trim();
        const preset = form.get('preset');
        wrong = '';
        try {
          if (await api.find(api.path`/v1/topics/${name}`)) throw new Error(`There is a topic ${name} already.`);
          return await api.put(api.path`/v1/topics/${name}`, preset ? { preset } : {});
        } catch (error) {
          wrong = error.violations?.find((one) => one.field === 'topic' || one.field === 'name')?.rule ?? '';
          if (wrong) error.field = 'topic-name';
          throw error;
        }
      },
    });
    if (made) {
      this.app.tell(`${made.name} is created.`);
      this.app.go(api.path`topics/${made.name}`);
    }
  }

  // Not `remove`: that is how the page itself is taken away.
  async destroy(topic) {
    if (await deleteTopic(this.app, topic.name)) await this.show(this.items.length);
  }

  view() {
    const manage = this.app.can('manage');
    return html`<div class="stack">
      <div class="head"><div><h1>Topics</h1><p>Messages are published to a topic, and each of its subscriptions gets them.</p></div>
        ${manage && (this.items.length || this.search) ? html`<button class="primary" @click=${this.create}>New topic</button>` : nothing}</div>
      ${this.items.length === 0 && !this.search && !this.wrong ? this.nothing(manage) : html`${this.form()}${this.wrong ? failure(this.wrong, () => this.show()) : this.list(manage)}`}
    </div>`;
  }

  nothing(manage) {
    return html`<section class="panel">${empty('There is no topic yet', 'A topic has a name, such as orders, and a policy for the retries of its subscriptions.', manage ? html`<button class="primary" @click=${this.create}>New topic</button>` : nothing)}
      <div class="commands"><p class="soft small">Or in a terminal:</p>${command('./reprise topic create orders', 'create a topic')}</div></section>`;
  }

  form() {
    return html`<form class="filter" role="search" @submit=${(event) => event.preventDefault()}>
      ${field('Search', html`<input id="search" type="search" placeholder="Part of a name" .value=${this.search} @input=${(event) => this.look(event.target.value)}>`, { id: 'search' })}
    </form>`;
  }

  list(manage) {
    if (this.items.length === 0) {
      return html`<section class="panel">${empty('No topic fits', html`No name has “${this.search}” in it.`, html`<button @click=${() => this.look('', 0)}>Show all</button>`)}</section>`;
    }
    return html`<section class="panel flush"><div class="scroll"><table class="cards">
        <thead><tr><th>Topic</th><th>Retries</th><th class="number">Subscriptions</th><th class="wide">Created</th><th><span class="hidden-text">Actions</span></th></tr></thead>
        <tbody>${this.items.map((one) => html`<tr>
          <td><a class="break" href=${api.path`topics/${one.name}`}><b>${one.name}</b></a></td>
          <td data-label="Retries"><span>${policyWords(one.policy)}</span></td>
          <td data-label="Subscriptions" class="number line"><a href=${`subscriptions?topic=${encodeURIComponent(one.name)}`} aria-label=${`${count(one.subscriptions, 'subscription')} of ${one.name}`}>${exact(one.subscriptions)}</a></td>
          <td class="soft wide">${time(one.createdAt)}</td>
          <td class="actions">${manage
            ? menu(`Actions for ${one.name}`, [['Edit the policy', api.path`policies/${one.name}`], ...(one.reserved ? [] : [['Delete …', () => this.destroy(one), true]])])
            : nothing}</td></tr>`)}
        </tbody></table></div></section>
      ${more(this.next, () => this.goOn(), this.next ? `The first ${count(this.items.length, 'topic')}` : count(this.items.length, 'topic'), this.busy)}`;
  }
}

customElements.define('topics-page', TopicsPage);

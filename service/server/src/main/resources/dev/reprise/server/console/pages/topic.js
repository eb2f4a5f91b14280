import { html, nothing } from 'lit';
import * as api from '../lib/api.js';
import { command } from '../lib/command.js';
import { Page } from '../lib/page.js';
import { crumbs, empty, failure, field, missing, more } from '../lib/parts.js';
import { count, exact, time } from '../lib/text.js';
import { newSubscription } from './subscription-form.js';
import { subscriptionTable } from './subscription-table.js';
import { deleteTopic, policyWords } from './topic-actions.js';

export const title = (params) => params.topic;
export const render = (params, app) => html`<topic-page .params=${params} .app=${app}></topic-page>`;

/** The message with a body: JSON as it was typed, so that no digit of a long number is lost, and other text as a string. */
function withBody(message, text) {
  let body = text;
  try {
    JSON.parse(text);
  } catch {
    body = JSON.stringify(text);
  }
  const rest = JSON.stringify(message).slice(1, -1);
  return `{"body":${body}${rest ? `,${rest}` : ''}}`;
}

class TopicPage extends Page {
  static properties = { topic: { state: true }, items: { state: true }, next: { state: true }, busy: { state: true }, published: { state: true }, wrong: { state: true } };

  constructor() {
    super();
    this.items = [];
    this.next = null;
    this.published = null;
    this.wrong = null;
  }

  async load() {
    const { topic } = this.params;
    const [shown, page] = await Promise.all([
      api.find(api.path`/v1/topics/${topic}`, { signal: this.signal }),
      api.find(`/v1/subscriptions${api.query({ topic, limit: Math.min(1000, Math.max(50, this.items.length)) })}`, { signal: this.signal }),
    ]);
    this.topic = shown;
    this.items = page?.items ?? [];
    this.next = page?.next;
  }

  changed = () => this.refresh();

  async goOn() {
    this.busy = true;
    await this.attempt(async () => {
      const page = await api.get(`/v1/subscriptions${api.query({ topic: this.topic.name, cursor: this.next })}`, { signal: this.signal });
      this.items = [...this.items, ...page.items];
      this.next = page.next;
    });
    this.busy = false;
  }

  async subscribe() {
    if (await newSubscription(this.app, { topic: this.topic.name })) this.changed();
  }

  // Not `remove`: that is how the page itself is taken away.
  async destroy() {
    if (await deleteTopic(this.app, this.topic.name)) this.app.go('topics');
  }

  async publish(event) {
    event.preventDefault();
    const form = event.target;
    this.wrong = null;
    this.published = null;
    try {
      const message = {};
      const attributes = form.elements.attributes.value.trim();
      if (attributes) {
        try {
          message.attributes = JSON.parse(attributes);
        } catch (error) {
          throw new api.ApiFailure(400, `attributes is not JSON: ${error.message}`, [{ field: 'attributes', rule: `is not JSON: ${error.message}` }]);
        }
      }
      const bodies = form.elements.sms.value;
      if (bodies) message.bodies = { sms: bodies };
      this.published = await api.postText(api.path`/v1/topics/${this.topic.name}/messages`, withBody(message, form.elements.body.value));
      this.changed();
    } catch (error) {
      this.wrong = error;
    }
  }

  rule(name) {
    const violations = this.wrong?.violations ?? [];
    return violations.filter((one) => one.field === name || one.field.startsWith(`${name}.`)).map((one) => one.rule).join('; ');
  }

  view() {
    const { topic } = this;
    const manage = this.app.can('manage');
    if (!topic) {
      return html`<div class="stack">${crumbs(['Topics', 'topics'], [this.params.topic])}
        ${missing('No such topic', 'It may have been deleted, or belong to another project.', html`<a class="button" href="topics">Go to the topics</a>`)}</div>`;
    }
    return html`<div class="stack">
      ${crumbs(['Topics', 'topics'], [topic.name])}
      <div class="head"><div><h1>${topic.name}</h1><p>${topic.reserved ? 'Operator events, published by the service itself' : html`Since ${time(topic.createdAt)}`}, ${count(topic.subscriptions, 'subscription')}</p></div>
        ${manage ? html`<div class="row">${topic.reserved ? nothing : html`<button class="danger" @click=${this.destroy}>Delete …</button>`}<button class="primary" @click=${this.subscribe}>New subscription</button></div>` : nothing}</div>
      ${this.failure ? failure(this.failure, () => this.refresh()) : nothing}
      ${this.subscriptions(manage)}
      <div class="columns">${this.app.can('publish') && !topic.reserved ? this.publishing() : nothing}${this.policy(manage)}</div>
    </div>`;
  }

  subscriptions(manage) {
    if (this.items.length === 0) {
      return html`<section class="panel">${empty('Nobody is subscribed yet', 'What is published to it is accepted, and reaches nobody.', manage ? html`<button @click=${this.subscribe}>New subscription</button>` : nothing)}
        <div class="commands"><p class="soft small">Or in a terminal:</p>${command(`./reprise subscribe ${this.topic.name} https://example.com/hook`, 'subscribe')}</div></section>`;
    }
    return html`<section class="panel flush" aria-labelledby="subscriptions-h"><header><h2 id="subscriptions-h">Subscriptions</h2>
        <p><a href=${`subscriptions?topic=${encodeURIComponent(this.topic.name)}`}>Search, and actions for all</a></p></header>
        ${subscriptionTable(this.app, this.items, this.changed, { topic: false })}</section>
      ${this.next ? more(this.next, () => this.goOn(), `The first ${exact(this.items.length)} of ${exact(this.topic.subscriptions)}`, this.busy) : nothing}`;
  }

  policy(manage) {
    const { policy } = this.topic;
    const own = Object.keys(policy).some((name) => name !== 'disableSubscriptionOverrides');
    return html`<section class="panel" aria-labelledby="policy-h"><header><h2 id="policy-h">Policy</h2>${manage ? html`<a class="button slim" href=${api.path`policies/${this.topic.name}`}>${own ? 'Edit' : 'Set one'}</a>` : nothing}</header>
      <p>${policyWords(policy)}</p>
      ${own ? html`<pre tabindex="0" aria-label="The policy as JSON">${JSON.stringify(policy, null, 2)}</pre>` : nothing}
      <p class="hint">${policy.disableSubscriptionOverrides ? 'It holds for all subscriptions of the topic, whatever they say themselves.' : 'A subscription with a policy of its own goes by that.'}</p></section>`;
  }

  publishing() {
    const { published, wrong } = this;
    const rule = { body: this.rule('body'), attributes: this.rule('attributes'), bodies: this.rule('bodies') };
    const invalid = (text) => (text ? 'true' : 'false');
    return html`<section class="panel" aria-labelledby="publish-h"><header><h2 id="publish-h">Publish a message</h2></header>
      <form class="stack tight" @submit=${this.publish}>
        ${field('Body', html`<textarea id="body" name="body" class="short" spellcheck="false" aria-describedby="body-hint" aria-invalid=${invalid(rule.body)} required>{"hello": "world"}</textarea>`, { id: 'body', hint: 'JSON as it stands; anything else is sent as text.', wrong: rule.body })}
        ${field('Attributes (JSON)', html`<input id="attributes" name="attributes" class="mono" spellcheck="false" autocomplete="off" placeholder='{"type": "order.created"}' aria-describedby="attributes-hint" aria-invalid=${invalid(rule.attributes)}>`, { id: 'attributes', hint: 'What the filters of subscriptions look at.', wrong: rule.attributes })}
        <details class="more" ?open=${Boolean(rule.bodies)}><summary>Another text for SMS</summary>
          ${field('SMS', html`<input id="sms" name="sms" autocomplete="off" aria-invalid=${invalid(rule.bodies)}>`, { id: 'sms', wrong: rule.bodies })}</details>
        ${wrong ? failure(wrong) : nothing}
        ${published
          ? html`<p class="note is-ok" role="status" id="published">Accepted for ${count(published.deliveries, 'delivery', 'deliveries')}. ${published.deliveries
              ? html`<a href=${`deliveries?message=${published.messageId}`}>See what becomes of it</a>`
              : 'No subscription wanted it.'}</p>`
          : nothing}
        <div class="row"><button class="primary">Publish</button></div>
      </form>
      <details class="more"><summary>In a terminal</summary>${command(`./reprise publish ${this.topic.name} '{"hello": "world"}'`, 'publish a message')}</details>
    </section>`;
  }
}

customElements.define('topic-page', TopicPage);

// Subscriptions as a table, on the page of all and on that of a topic.
import { html, nothing } from 'lit';
import * as api from '../lib/api.js';
import { menu } from '../lib/menu.js';
import { badge } from '../lib/parts.js';
import { ago, count, exact, nearTime } from '../lib/text.js';
import { release, remove, sendTest, suspend } from './subscription-actions.js';
import { editSubscription } from './subscription-form.js';

const FROM = { subscription: 'its own', topic: "the topic's", preset: 'preset' };

/** How failures are retried, and which policy says so. */
export function retries({ effectivePolicy: policy }) {
  const throttle = policy.throttlePolicy;
  return html`${count(policy.healthyRetryPolicy.numRetries, 'retry', 'retries')}
    <span class="soft small nowrap">${FROM[policy.healthyRetryPolicyFrom] ?? policy.healthyRetryPolicyFrom}${policy.preset ? html` <span>${policy.preset.replace('notification-', '')}</span>` : nothing}</span>
    ${throttle ? html`<br><span class="soft small nowrap">at most ${exact(throttle.maxReceivesPerSecond)} per second, ${FROM[policy.throttlePolicyFrom]}</span>` : nothing}`;
}

/** The name and the customer, as far as it has them; with a sign between them and more, if more follows. */
export function whose({ name, customer }, follows) {
  return html`${name ? html`<b class="break">${name}</b>` : nothing}${name && customer ? ' · ' : ''}${customer ? html`customer <b class="break">${customer}</b>` : nothing}${follows && (name || customer) ? ' · ' : ''}`;
}

/** Since when its endpoint fails; nothing if it does not. */
export const failing = ({ failingSince }) => (failingSince ? badge(html`<span>failing since ${nearTime(failingSince)}</span>`, 'is-bad') : nothing);

/** How it is, and since when or until when. */
export function state(subscription) {
  const { suspended, flags, failingSince, lastOutcome } = subscription;
  const says = { operator: 'by an operator', endpoint: 'as its endpoint is gone', creation: 'since its creation' };
  return html`${suspended
    ? html`${badge('suspended')}<span class="two-lines soft small">${says[suspended.by] ?? suspended.by}${suspended.reason ? `: ${suspended.reason}` : ''}${suspended.dropsAt
        ? html`; ${exact(suspended.held)} held, the first will be <b class="warn">dropped ${ago(suspended.dropsAt)}</b>`
        : nothing}</span>`
    : failingSince
      ? html`${failing(subscription)}${lastOutcome ? html`<span class="two-lines soft small">${lastOutcome.summary}</span>` : nothing}`
      : badge('active', 'is-ok')}
    ${flags?.includes('catch-all') ? html`<span class="badge is-warn" title=${(subscription.warnings ?? []).join(' ')}>catch-all</span>` : nothing}`;
}

/** `changed` is called when something was changed. */
export function subscriptionTable(app, items, changed, { topic = true } = {}) {
  const after = async (work) => {
    if (await work) changed();
  };
  return html`<div class="scroll"><table class="subscriptions cards">
    <thead><tr><th>Subscription</th>${topic ? html`<th>Topic</th>` : nothing}<th>State</th><th>Retries</th><th class="number">Pending</th><th class="number">Delivered</th><th class="number">Dead</th><th><span class="hidden-text">Actions</span></th></tr></thead>
    <tbody>${items.map((one) => html`<tr>
      <td><a class="two-lines" href=${api.path`subscriptions/${one.id}`}><b>${one.id}</b></a>${one.name || one.customer || one.labels
        ? html`<span class="two-lines small" data-whose>${whose(one, one.labels)}${Object.entries(one.labels ?? {}).map(([key, value]) => html`<code class="break">${key}=${value}</code> `)}</span>`
        : nothing}<span class="endpoint soft small" title=${one.endpoint}>${one.protocol === 'http' ? nothing : html`${one.protocol} `}${one.endpoint}</span></td>
      ${topic ? html`<td data-label="Topic" class="topic"><a class="break" href=${api.path`topics/${one.topic}`}>${one.topic}</a></td>` : nothing}
      <td data-label="State" class="state"><span>${state(one)}</span></td>
      <td data-label="Retries"><span>${retries(one)}</span></td>
      <td data-label="Pending" class="number">${one.ledger.pending > 0 ? html`<a href=${`${api.path`subscriptions/${one.id}/deliveries`}?status=pending`}>${exact(one.ledger.pending)}</a>` : '0'}</td>
      <td data-label="Delivered" class="number">${exact(one.ledger.delivered)}</td>
      <td data-label="Dead" class="number">${one.ledger.deadLettered > 0 ? html`<a class="bad" href=${api.path`subscriptions/${one.id}/dead-letters`}>${exact(one.ledger.deadLettered)}</a>` : '0'}</td>
      <td class="actions">${app.can('manage')
        ? menu(`Actions for ${one.id}`, [
            ['Edit …', () => after(editSubscription(app, one))],
            one.suspended ? ['Release …', () => after(release(app, one))] : ['Suspend …', () => after(suspend(app, one))],
            one.suspended ? null : ['Send a test message', () => sendTest(app, one)],
            ['Edit the policy of its topic', api.path`policies/${one.topic}`],
            ['Delete …', () => after(remove(app, one)), true],
          ])
        : nothing}</td></tr>`)}
    </tbody></table></div>`;
}

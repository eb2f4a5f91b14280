// Deliveries and dead letters as rows. A page may have a thousand of them: a row is one template
// with texts in it, and console.css lays out only those that are looked at.
import { html, nothing } from 'lit';
import { exact, stopReason } from '../lib/text.js';

export const PAGE_SIZES = [50, 200, 1000];
export const DEFAULT_SIZE = 50;

/** The states of deliveries, as the API names them, and in words. */
export const STATES = [
  ['pending', 'Pending'],
  ['delivered', 'Delivered'],
  ['dead-lettered', 'Dead letters'],
  ['discarded', 'Discarded'],
  ['expired', 'Expired'],
  ['moved', 'Moved'],
];

/** The reasons that a dead letter may have. */
export const REASONS = ['NOT_RETRYABLE', 'ATTEMPTS', 'HINT_TOO_LONG', 'DEADLINE', 'CANCELLED', 'SUSPENDED', 'UNREADABLE'];

const LOOKS = { delivered: 'is-ok', pending: 'is-accent', 'dead-lettered': 'is-bad', expired: 'is-bad' };

const moment = new Intl.DateTimeFormat(undefined, { month: 'short', day: '2-digit', hour: '2-digit', minute: '2-digit', second: '2-digit', hour12: false });

// Rows of one page are often of the same second.
let lastSecond = '';
let lastText = '';
function local(rfc3339) {
  const second = rfc3339.slice(0, 19);
  if (second !== lastSecond) {
    lastSecond = second;
    lastText = moment.format(new Date(rfc3339));
  }
  return lastText;
}

const utc = (rfc3339) => rfc3339.replace('T', ' ').replace('Z', ' UTC');

function reasonOf(item) {
  if (item.stopReason) return item.lastOutcome ? `${stopReason(item.stopReason)}; last: ${item.lastOutcome}` : stopReason(item.stopReason);
  if (item.inFlight) return 'being attempted now';
  return item.nextAttempt?.reason ?? item.lastOutcome ?? '';
}

function row(item) {
  const ends = item.nextAttempt?.at ?? item.endedAt;
  return html`<tr role="row">
    <td role="cell"><a class="mono" href="/deliveries/${encodeURIComponent(item.id)}">${item.message}</a></td>
    <td role="cell"><span class="badge ${LOOKS[item.status] ?? ''}">${item.inFlight ? 'in flight' : item.status}</span></td>
    <td role="cell" class="number" data-label="attempts">${exact(item.attempts)}</td>
    <td role="cell" data-label="published"><time datetime=${item.publishedAt} title=${utc(item.publishedAt)}>${local(item.publishedAt)}</time></td>
    <td role="cell" data-label=${item.nextAttempt ? 'next' : 'ended'}>${ends ? html`<time datetime=${ends} title=${utc(ends)}>${local(ends)}</time>` : nothing}</td>
    <td role="cell" class="why">${reasonOf(item)}</td>
  </tr>`;
}

/** A table of deliveries; `named` says of which, for those who do not see it. */
export const deliveryTable = (items, named, { ended = 'Next or ended' } = {}) =>
  html`<table class="rows" role="table" aria-label=${named}>
    <thead role="rowgroup"><tr role="row">
      <th role="columnheader" scope="col">Message</th><th role="columnheader" scope="col">State</th><th role="columnheader" scope="col" class="number">Attempts</th>
      <th role="columnheader" scope="col">Published</th><th role="columnheader" scope="col">${ended}</th><th role="columnheader" scope="col">Reason</th>
    </tr></thead>
    <tbody role="rowgroup">${items.map(row)}</tbody>
  </table>`;

/** Reads a page's size from its URL. */
export function sizeOf(params) {
  const wanted = Number(params.limit);
  return PAGE_SIZES.includes(wanted) ? wanted : DEFAULT_SIZE;
}

/** All subscriptions there are, of a topic or of all. */
export async function subscriptionsOf(api, topic, signal) {
  const all = [];
  let cursor;
  do {
    const page = await api.get(`/v1/subscriptions${api.query({ topic, limit: 1000, cursor })}`, { signal });
    all.push(...page.items);
    cursor = page.next;
  } while (cursor);
  return all;
}

/** Changes parameters of a URL's query: those without a value go. */
export function withQuery(path, parameters) {
  const query = new URLSearchParams(Object.entries(parameters).filter(([, value]) => value !== undefined && value !== null && value !== '')).toString();
  return query ? `${path}?${query}` : path;
}

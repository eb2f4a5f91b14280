// Deliveries and dead letters as rows. A page may have a thousand of them, and opens at once:
// console.css lays out only those that are looked at.
import { html } from 'lit';
import { listWords } from './sentences.js';
import { each } from './subscription-actions.js';

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

function element(tag, attributes, ...children) {
  const made = document.createElement(tag);
  Object.entries(attributes).forEach(([name, value]) => made.setAttribute(name, value));
  made.append(...children);
  return made;
}

function showTime(time, rfc3339) {
  if (!rfc3339) return;
  time.dateTime = rfc3339;
  time.title = utc(rfc3339);
  time.textContent = local(rfc3339);
}

/**
 * Makes the rows as copies of one, with texts and nothing but texts put in: a thousand of them are
 * there in a third of the time that templates take.
 */
function rows(items, whose, suspended) {
  const cell = { role: 'cell' };
  const row = element(
    'tr',
    { role: 'row' },
    element('td', cell, element('a', { class: 'mono' })),
    element('td', cell, whose ? element('a', {}) : element('span', { class: 'badge' })),
    element('td', { ...cell, class: 'number', 'data-label': 'attempts' }),
    element('td', { ...cell, class: 'published' }, element('time', {})),
    element('td', cell, element('time', {})),
    element('td', { ...cell, class: 'why' }, element('span', { class: 'outcome' }), element('span', {})),
  );
  const body = element('tbody', { role: 'rowgroup' });
  for (const item of items) {
    const copy = row.cloneNode(true);
    const [message, second, attempts, published, ended, why] = copy.children;
    message.firstChild.textContent = item.message;
    message.firstChild.href = `deliveries/${encodeURIComponent(item.id)}`;
    if (whose) {
      second.firstChild.textContent = item.subscription;
      second.firstChild.href = `subscriptions/${encodeURIComponent(item.subscription)}`;
    } else {
      second.firstChild.textContent = item.inFlight ? 'in flight' : item.status;
      if (LOOKS[item.status]) second.firstChild.classList.add(LOOKS[item.status]);
    }
    attempts.textContent = item.attempts;
    showTime(published.firstChild, item.publishedAt);
    ended.dataset.label = item.nextAttempt ? 'next' : 'ended';
    showTime(ended.firstChild, item.nextAttempt?.at ?? item.endedAt);
    [why.firstChild.textContent, why.lastChild.textContent] = listWords(item, suspended);
    body.append(copy);
  }
  return body;
}

// A list is drawn once, however often the page around it is drawn.
const drawn = new WeakMap();

/**
 * A table of deliveries; `named` says of which, for those who do not see it. With `whose` it has
 * their subscription in place of their state; `suspended` says that their subscription is.
 */
export function deliveryTable(items, named, { ended = 'Next or ended', whose = false, suspended = false } = {}) {
  if (!drawn.has(items)) drawn.set(items, rows(items, whose, suspended));
  return html`<table class="rows ${whose ? 'whose' : ''}" role="table" aria-label=${named}>
    <thead role="rowgroup"><tr role="row">
      <th role="columnheader" scope="col">Message</th><th role="columnheader" scope="col">${whose ? 'Subscription' : 'State'}</th><th role="columnheader" scope="col" class="number">Attempts</th>
      <th role="columnheader" scope="col">Published</th><th role="columnheader" scope="col">${ended}</th><th role="columnheader" scope="col">Reason</th>
    </tr></thead>
    ${drawn.get(items)}
  </table>`;
}

/** Reads a page's size from its URL. */
export function sizeOf(params) {
  const wanted = Number(params.limit);
  return PAGE_SIZES.includes(wanted) ? wanted : DEFAULT_SIZE;
}

/** All subscriptions there are, of a topic or of all. */
export async function subscriptionsOf(topic, signal) {
  const all = [];
  await each('/v1/subscriptions', { topic }, (one) => all.push(one), signal);
  return all;
}

/** Changes parameters of a URL's query: those without a value go. */
export function withQuery(path, parameters) {
  const query = new URLSearchParams(Object.entries(parameters).filter(([, value]) => value !== undefined && value !== null && value !== '')).toString();
  return query ? `${path}?${query}` : path;
}

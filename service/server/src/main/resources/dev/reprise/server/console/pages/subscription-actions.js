// What is done to subscriptions, to one or to all that a filter names, once its consequences were seen.
import { html, nothing } from 'lit';
import * as api from '../lib/api.js';
import { ask, openDialog } from '../lib/dialog.js';
import { field } from '../lib/parts.js';
import { count, exact } from '../lib/text.js';

const MOST_NAMED = 6;

/** Calls `work` with each item of a list, however long: `path` is asked for page after page. */
export async function each(path, parameters, work, signal) {
  let cursor;
  do {
    const page = await api.get(`${path}${api.query({ ...parameters, limit: 1000, cursor })}`, { signal });
    for (const item of page.items) work(item);
    cursor = page.next;
  } while (cursor);
}

/** All subscriptions that a filter names, and what they have in sum. */
export async function gather(filter) {
  const all = { ids: [], pending: 0, deadLettered: 0, suspended: 0 };
  await each('/v1/subscriptions', filter, (one) => {
    all.ids.push(one.id);
    all.pending += one.ledger.pending;
    all.deadLettered += one.ledger.deadLettered;
    if (one.suspended) all.suspended++;
  });
  return all;
}

export const named = (ids) => (ids.length > MOST_NAMED ? `${ids.slice(0, MOST_NAMED).join(', ')} and ${exact(ids.length - MOST_NAMED)} more` : ids.join(', '));

/** What is lost with deliveries that go. */
export const losses = ({ pending, deadLettered }) => [
  pending === 0 ? 'Nothing is waiting for it.' : html`<b class="bad">${count(pending, 'pending delivery', 'pending deliveries')}</b> will be discarded: nobody gets them.`,
  deadLettered === 0 ? 'It has no dead letters.' : html`<b class="bad">${count(deadLettered, 'dead letter')}</b> will be discarded, and cannot be redriven any more.`,
];

/** A field in which a name is typed again, and the check that it was. */
export const typed = (name) => ({
  text: field(html`Type <code>${name}</code> to confirm`, html`<input id="confirm-name" name="confirm" autocomplete="off" spellcheck="false" required>`, { id: 'confirm-name' }),
  check(form) {
    if (form.get('confirm').trim() !== name) throw new Error(`Type ${name} in the field, just as it stands here. Nothing was deleted.`);
  },
});

const suspension = html`<p>What is published is held, and nothing is attempted until it is released.</p>
  ${field('Reason', html`<input id="suspend-reason" name="reason" maxlength="200" autocomplete="off" aria-describedby="suspend-reason-hint">`, { id: 'suspend-reason', hint: 'One line, for those who look at it later.' })}
  <div class="fields">
    ${field('Held for at most', html`<input id="suspend-age" name="maxAge" placeholder="P14D" autocomplete="off" aria-describedby="suspend-age-hint">`, { id: 'suspend-age', hint: 'Such as 6h or P3D. A delivery that is held longer is dropped.' })}
    ${field('At most so many', html`<input id="suspend-held" name="maxHeld" inputmode="numeric" placeholder="1,000,000" autocomplete="off" aria-describedby="suspend-held-hint">`, { id: 'suspend-held', hint: 'The oldest are dropped beyond that.' })}
  </div>`;

function suspensionOf(form) {
  const held = form.get('maxHeld').replaceAll(/[\s,._]/g, '');
  return {
    reason: form.get('reason').trim() || null,
    maxAge: form.get('maxAge').trim() || null,
    maxHeld: held === '' ? null : /^\d+$/.test(held) ? Number(held) : held,
  };
}

/** Each resolves with something that is true once it was done. */
export async function suspend(app, subscription) {
  const done = await openDialog({
    title: `Suspend ${subscription.id}?`,
    body: suspension,
    confirm: 'Suspend',
    action: (form) => api.post(api.path`/v1/subscriptions/${subscription.id}/suspend`, suspensionOf(form)),
  });
  if (done) app.tell(`${subscription.id} is suspended.`);
  return done;
}

export async function release(app, subscription) {
  const held = subscription.suspended?.held ?? 0;
  const done = await ask({
    title: `Release ${subscription.id}?`,
    danger: false,
    confirm: 'Release',
    consequences: [
      held === 0 ? 'Nothing is held for it.' : `${count(held, 'delivery', 'deliveries')} that ${held === 1 ? 'is' : 'are'} held will be attempted, while new ones keep a share.`,
      'The endpoint should be able to take them.',
    ],
    action: () => api.post(api.path`/v1/subscriptions/${subscription.id}/release`),
  });
  if (done) app.tell(`${subscription.id} is released.`);
  return done;
}

export async function remove(app, subscription) {
  let now;
  try {
    now = await api.get(api.path`/v1/subscriptions/${subscription.id}`);
  } catch (error) {
    app.tell(error.message, true);
    return undefined;
  }
  const confirm = now.ledger.pending + now.ledger.deadLettered > 0 ? typed(now.id) : null;
  const done = await ask({
    title: `Delete ${now.id}?`,
    consequences: [html`<span class="break">${now.endpoint}</span> gets no messages of ${now.topic} any more.`, ...losses(now.ledger)],
    question: confirm?.text ?? nothing,
    confirm: 'Delete',
    action: async (form) => {
      confirm?.check(form);
      await api.del(api.path`/v1/subscriptions/${now.id}`);
    },
  });
  if (done) app.tell(`${now.id} is deleted.`);
  return done;
}

/** Sends a test message, and goes to its delivery, where one sees what became of it. */
export async function sendTest(app, subscription) {
  try {
    const { messageId } = await api.post(api.path`/v1/subscriptions/${subscription.id}/test`);
    app.tell(`A test message is on its way to ${subscription.id}.`);
    app.go(`deliveries/${encodeURIComponent(`${messageId}@${subscription.id}`)}`);
  } catch (error) {
    app.tell(error.message, true);
  }
}

const BULK = {
  suspend: {
    title: (n) => `Suspend ${n}?`,
    confirm: 'Suspend all',
    consequences: (all) => [`Nothing is attempted for ${named(all.ids)} until released.`, ...(all.suspended ? [`${exact(all.suspended)} of them ${all.suspended === 1 ? 'is' : 'are'} suspended already, and will have these limits.`] : [])],
    text: suspension,
    danger: false,
    work: (id, form) => api.post(api.path`/v1/subscriptions/${id}/suspend`, suspensionOf(form)),
    told: (n) => `${n} suspended.`,
  },
  release: {
    title: (n) => `Release ${n}?`,
    confirm: 'Release all',
    consequences: (all) => [`It is about ${named(all.ids)}, of which ${exact(all.suspended)} ${all.suspended === 1 ? 'is' : 'are'} suspended.`, `${count(all.pending, 'delivery', 'deliveries')} of them may be attempted at once, as fast as their endpoints take them.`],
    danger: false,
    work: (id) => api.post(api.path`/v1/subscriptions/${id}/release`),
    told: (n) => `${n} released.`,
  },
  remove: {
    title: (n) => `Delete ${n}?`,
    confirm: 'Delete all',
    consequences: (all) => [`${named(all.ids)} get no messages any more.`, ...losses(all)],
    danger: true,
    typed: (all) => `delete ${all.ids.length}`,
    work: (id) => api.del(api.path`/v1/subscriptions/${id}`),
    told: (n) => `${n} deleted.`,
  },
};

/** Does one of `suspend`, `release` and `remove` to all that a filter names, on whatever page of the list they are. */
export async function bulk(app, kind, filter) {
  const what = BULK[kind];
  let all;
  try {
    all = await gather(filter);
  } catch (error) {
    app.tell(error.message, true);
    return undefined;
  }
  if (all.ids.length === 0) {
    app.tell('No subscription fits the filter.');
    return undefined;
  }
  const confirm = what.typed ? typed(what.typed(all)) : null;
  const words = count(all.ids.length, 'subscription');
  let progress = 0;
  let redraw = () => {};
  const failed = new Map();
  const done = await openDialog({
    title: what.title(words),
    danger: what.danger,
    confirm: what.confirm,
    body: ({ update }) => {
      redraw = update;
      return html`<ul class="consequences">${what.consequences(all).map((one) => html`<li>${one}</li>`)}</ul>
        ${what.text ?? nothing}${confirm?.text ?? nothing}
        ${progress > 0 ? html`<label class="label" for="bulk-progress">${exact(progress)} of ${exact(all.ids.length)}</label><progress id="bulk-progress" max=${all.ids.length} value=${progress}></progress>` : nothing}`;
    },
    action: async (form) => {
      confirm?.check(form);
      failed.clear();
      for (progress = 0; progress < all.ids.length; progress++) {
        redraw();
        const id = all.ids[progress];
        try {
          await what.work(id, form);
        } catch (error) {
          // What is gone by now is no failure. An input that is refused would be refused for all.
          if (error.status === 400) throw error;
          if (error.status !== 404) failed.set(id, error.message);
        }
      }
    },
  });
  if (done && failed.size) {
    const [id, message] = failed.entries().next().value;
    app.tell(`${count(failed.size, 'subscription')} of ${exact(all.ids.length)} stayed as they were: ${id}: ${message}`, true);
  } else if (done) {
    app.tell(what.told(words));
  }
  return done || progress > 0;
}

// What is done to many deliveries or dead letters at once, or to one: asked, done over the cursor, told.
import { html, nothing } from 'lit';
import * as api from '../lib/api.js';
import { consequences, openWalk, parts } from '../lib/walk.js';
import { count, exact, span } from '../lib/text.js';
import { whereTo } from './sentences.js';

const PART = 1000;

const ended = (changed, how, one, done) =>
  how === 'done'
    ? `${count(changed, one, one === 'delivery' ? 'deliveries' : undefined)} ${changed === 1 ? 'was' : 'were'} ${done}.`
    : how === 'stopped'
      ? `Stopped. ${exact(changed)} ${changed === 1 ? 'was' : 'were'} ${done} before that, and stay${changed === 1 ? 's' : ''} so.`
      : `It broke off. ${exact(changed)} ${changed === 1 ? 'was' : 'were'} ${done} before that; it is safe to start again.`;

/** Yields the parts of a walk over what is pending; of one message until it was found. */
async function* pending(id, operation, message, signal) {
  const steps = parts((cursor) => api.post(api.path`/v1/subscriptions/${id}/` + operation, { limit: PART, cursor, message }, { signal }));
  for await (const part of steps) {
    yield part;
    if (message && part.changed) return;
  }
}

/** Makes what waits for a later retry due now: all of a subscription, or one message's delivery. */
export const attemptNow = (id, { message, waiting = null, suspended = false } = {}) =>
  openWalk({
    title: message ? 'Attempt this delivery now?' : `Attempt everything that waits at ${id} now?`,
    body: () =>
      consequences(
        message ? 'Its next attempt is due at once.' : waiting === null ? 'Everything that waits for a later retry is due at once.' : `${count(waiting, 'delivery', 'deliveries')} that wait${waiting === 1 ? 's' : ''} for a later retry become${waiting === 1 ? 's' : ''} due at once.`,
        'Retries made so far count on, and the policy decides what follows.',
        'If the endpoint has asked for silence, that ends.',
        suspended ? 'The subscription is suspended: nothing is attempted before it is released.' : nothing,
        message ? nothing : 'The limit of attempts at the same time holds as before, so the endpoint is not flooded.',
      ),
    confirm: () => 'Attempt now',
    total: () => waiting,
    work: (form, signal) => pending(id, 'attempt-now', message, signal),
    says: (changed, how) => (changed || how !== 'done' ? ended(changed, how, 'delivery', 'made due') : 'Nothing waits for a later retry: what is pending is due already, or being attempted.'),
  });

/** Gives up what is pending: all of a subscription, or one message's delivery. */
export const cancel = (id, { message, waiting = null, discards = false, target = '' } = {}) =>
  openWalk({
    title: message ? 'Cancel this delivery?' : `Cancel everything that is pending at ${id}?`,
    danger: true,
    body: () =>
      consequences(
        message ? 'It is given up, and not attempted again.' : waiting === null ? 'All that is pending is given up.' : `${count(waiting, 'delivery', 'deliveries')} ${waiting === 1 ? 'is' : 'are'} given up, and not attempted again.`,
        discards
          ? 'This subscription discards what is given up: it cannot be taken back.'
          : target
            ? `What is given up goes to ${target}, the dead-letter target of this subscription.`
            : `${message ? 'It becomes a dead letter' : 'They become dead letters'} with the reason “cancelled”, and can be redriven from there.`,
        'An attempt that is under way just now is made to its end, and may still deliver.',
        message ? nothing : 'What is published from now on is delivered as usual.',
      ),
    word: message ? '' : id,
    confirm: () => (message ? 'Cancel the delivery' : 'Cancel all that is pending'),
    total: () => waiting,
    work: (form, signal) => pending(id, 'cancel', message, signal),
    says: (changed, how) => (changed || how !== 'done' ? ended(changed, how, 'delivery', 'given up') : 'Nothing was pending any more.'),
  });

/** Yields `{changed}` for each part of a redrive or its dry run, one subscription after the other. */
async function* redriven(ids, filter, { perSecond, to, dryRun }, signal) {
  for (const id of ids) {
    const steps = parts((cursor) => api.post(api.path`/v1/subscriptions/${id}/redrive`, { filter, perSecond, to, dryRun, limit: PART, cursor }, { signal }));
    for await (const part of steps) {
      yield { changed: part.changed ?? part.matched };
      if (filter.message && !dryRun && part.changed) break;
    }
  }
}

/**
 * Tries dead letters of subscriptions again that a filter chooses, after a dry run has counted them;
 * `targets` are subscriptions that may take them instead.
 */
export function redrive(ids, filter, { targets = [], about }) {
  const choice = { perSecond: '', to: '', matched: 0, counting: true, wrong: null };
  const pace = () => Number(choice.perSecond) || 0;
  return openWalk({
    title: `Redrive ${about}?`,
    opened: async (walk) => {
      try {
        for await (const part of redriven(ids, filter, { dryRun: true }, walk.signal)) {
          choice.matched += part.changed;
          if (walk.phase === 'asking') walk.update();
        }
      } catch (error) {
        choice.wrong = error.name === 'AbortError' ? null : error;
      }
      choice.counting = false;
      if (walk.phase === 'asking') walk.update();
    },
    body: (walk) => html`
      <p role="status" class="dry-run"><b>${exact(choice.matched)}</b> ${choice.counting ? 'match so far, counting …' : choice.matched === 1 ? 'dead letter matches.' : 'dead letters match.'}
        ${choice.wrong ? html`<span class="wrong">The count broke off: ${choice.wrong.message}</span>` : nothing}</p>
      <div class="fields">
        <div class="field"><label for="redrive-to">Into</label>
          <select id="redrive-to" @change=${(event) => { choice.to = event.target.value; walk.update(); }}>
            <option value="">${ids.length === 1 ? 'the same subscription' : 'the subscriptions they are of'}</option>
            ${targets.filter((each) => ids.length > 1 || each.id !== ids[0]).map((each) => html`<option value=${each.id}>${each.id} · ${each.topic} · ${each.endpoint}</option>`)}
          </select></div>
        <div class="field"><label for="redrive-rate">A second${ids.length > 1 ? ', each subscription' : ''}</label>
          <input id="redrive-rate" type="number" min="0.001" max="1000000" step="any" inputmode="decimal" placeholder="all at once" ?disabled=${Boolean(choice.to)}
            .value=${choice.perSecond} @input=${(event) => { choice.perSecond = event.target.value; walk.update(); }}>
          <p class="hint" id="redrive-rate-why" ?hidden=${!choice.to}>The other subscription has a pace of its own.</p></div>
      </div>
      ${consequences(
        choice.to
          ? html`They become new messages of ${choice.to}, ${whereTo(targets.find((each) => each.id === choice.to))}, with the same body and attributes, and are moved out of ${ids.length === 1 ? ids[0] : 'the subscriptions they are of'}.`
          : 'They become pending again, under the same message ids; the policy starts from its first attempt.',
        !choice.to && pace() > 0 && choice.matched > 0
          ? `At ${choice.perSecond} a second the last of them is due in ${span((choice.matched / (ids.length > 1 ? pace() * ids.length : pace())) * 1000)}${ids.length > 1 ? ' or later' : ''}.`
          : nothing,
        'Receivers that have taken one of them already see it again, and should drop it by its message id.',
        'Dead letters that arrive from now on are not among them.',
      )}`,
    confirm: () => (choice.counting ? 'Redrive' : `Redrive ${exact(choice.matched)}`),
    total: () => (choice.counting ? null : choice.matched),
    work: (form, signal) => redriven(ids, filter, { perSecond: choice.to ? undefined : pace() || undefined, to: choice.to || undefined }, signal),
    says: (changed, how) => ended(changed, how, 'dead letter', choice.to ? `moved into ${choice.to}` : 'redriven'),
  });
}

/** Yields the parts of a purge, one subscription after the other. */
async function* purged(ids, parameters, signal) {
  for (const id of ids) {
    yield* parts((cursor) => api.del(api.path`/v1/subscriptions/${id}/dead-letters` + api.query({ ...parameters, limit: PART, cursor }), { signal }));
  }
}

/** Deletes dead letters of subscriptions that a filter (as parameters of a query) chooses. */
export const purge = (ids, parameters, { matched, about, word }) =>
  openWalk({
    title: `Purge ${about}?`,
    danger: true,
    word,
    body: () =>
      consequences(
        `${count(matched, 'dead letter')} ${matched === 1 ? 'is' : 'are'} deleted, with ${matched === 1 ? 'its' : 'their'} payload${matched === 1 ? '' : 's'}. That cannot be taken back.`,
        'They count as discarded in the ledger, which goes on balancing.',
        'Dead letters that arrive from now on are not among them.',
      ),
    confirm: () => `Purge ${exact(matched)}`,
    total: () => matched,
    work: (form, signal) => purged(ids, parameters, signal),
    says: (changed, how) => ended(changed, how, 'dead letter', 'deleted'),
  });

// What the service has decided about deliveries and endpoints, as sentences.
import { html, nothing } from 'lit';
import { clockTime, count, exact, span, stopReason, time, visible } from '../lib/text.js';
import { stageName } from './schedule.js';

const seconds = (millis) => `${exact(millis / 1000)} s`;

/** Why it waits for as long as it does: "stage 'backoff' says 60 s, the endpoint asked for 120 s by Retry-After". */
export function waitSentence({ kind, stage, backoffMillis, hintMillis }) {
  if (kind === 'first') return 'a first attempt is due at once';
  if (kind === 'redrive') return 'it was redriven from the dead letters';
  if (kind === 'requested') return 'somebody asked for an attempt now';
  if (kind === 'held') return `it was refused as all before it, is not charged, and waits ${seconds(backoffMillis)}`;
  const policy = `stage “${stageName(stage)}” says ${seconds(backoffMillis)}`;
  if (hintMillis === null || hintMillis === undefined) return policy;
  return hintMillis > backoffMillis
    ? `${policy}, the endpoint asked for ${seconds(hintMillis)} by Retry-After`
    : `${policy}, which is no less than the ${seconds(hintMillis)} that the endpoint asked for by Retry-After`;
}

const what = ({ kind, retry }) => (kind === 'retry' ? `Retry ${retry}` : kind === 'first' ? 'The first attempt' : 'The next attempt');

const sameDay = (a, b) => a.toDateString() === b.toDateString();

/** "Retry 4 is due at 12:03:20, in 2 min: stage “backoff” says 60 s, the endpoint asked for 120 s by Retry-After." */
export function nextSentence(next, now = Date.now()) {
  const at = new Date(next.at);
  const left = at.getTime() - now;
  const when = sameDay(at, new Date(now)) ? time(next.at, { short: true }) : time(next.at);
  return left > 0
    ? html`${what(next)} is due at ${when}, in ${span(Math.max(left, 1000))}: ${waitSentence(next)}.`
    : html`${what(next)} is due since ${when}: ${waitSentence(next)}.`;
}

/** Of which topic a subscription is, and where it delivers to: an id alone tells neither. */
export const whereTo = ({ topic, endpoint }) => `of the topic ${topic}, to ${endpoint}`;

/** The last outcome of a delivery of a list, and why it is where it is, as two texts; either may be empty. */
export function listWords(item, suspended = false) {
  const outcome = visible(item.lastOutcome ?? '');
  if (item.stopReason) return [outcome, stopReason(item.stopReason)];
  if (item.inFlight) return [outcome, 'being attempted now'];
  if (item.status === 'pending' && suspended) return [outcome, 'held: the subscription is suspended'];
  return [outcome, item.nextAttempt?.reason ?? ''];
}

/** What keeps a delivery from starting although it is due; the API has it in few words. */
export function waitingSentence(waitingFor) {
  if (!waitingFor) return nothing;
  if (waitingFor === 'in flight') return 'It is being attempted just now.';
  if (waitingFor === 'throttle') return 'The throttle of the policy holds it back.';
  if (waitingFor === 'backlog') return 'Others of this subscription are due before it.';
  const silence = /^endpoint asked for silence until (.+)$/.exec(waitingFor);
  if (silence) return html`The endpoint asked for silence until ${time(silence[1], { short: true })}, and all of this subscription waits.`;
  const slots = /^attempts under way: (\d+) of (\d+)/.exec(waitingFor);
  if (slots) return `It waits for a place: ${slots[1]} of ${slots[2]} attempts that may run at the same time are under way.`;
  const own = 'this subscription: ';
  if (waitingFor.startsWith(own)) return `The endpoint ${waitingFor.slice(own.length)}.`;
  return `${waitingFor[0].toUpperCase()}${waitingFor.slice(1)}.`;
}

/** How it ended, as a sentence. */
export function endSentence(delivery) {
  const at = time(delivery.endedAt);
  const took = span(Math.max(0, new Date(delivery.endedAt) - new Date(delivery.publishedAt)));
  const after = count(delivery.attempts, 'attempt');
  switch (delivery.status) {
    case 'delivered':
      return html`Delivered at ${at}, by attempt ${delivery.attempts}, ${took} after it was published.`;
    case 'moved':
      return html`Another subscription accepted it in place of this one at ${at}.`;
    case 'dead-lettered':
      return html`Given up at ${at} after ${after}: ${stopReason(delivery.stopReason)}. It stays a dead letter until it is redriven or purged, or its retention is over.`;
    case 'expired':
      return html`Its lifetime was over at ${at}, after ${after}.`;
    default:
      return html`Discarded at ${at} after ${after}${delivery.stopReason ? `: ${stopReason(delivery.stopReason)}` : ''}.`;
  }
}

const LIMITS = {
  starting: 'the endpoint is new, and each success adds a place',
  maximum: 'that is the most this subscription allows',
  throughput: 'more at a time brought no more answers a second',
  failures: 'a recent share of the attempts has failed',
  measuring: 'another number is tried for the moment',
};

/** How the service begins the reason for what waits because all before it was refused alike. */
const REFUSES = 'refuses everything alike: ';

/** The API names either what all wait for, or this subscription alone. */
function holdSentence({ group, reason }) {
  const who = group === 'this subscription' ? 'The endpoint' : group;
  return reason.startsWith(REFUSES) ? `${who} ${reason}` : `Everything for ${group} is held back: ${reason}`;
}

/** Whether the endpoint fails and since when, from what is stored. */
function standingSentences({ failingSince, lastSuccess, lastOutcome, ledger }) {
  if (!lastOutcome) return [];
  const all = [];
  if (failingSince) all.push(html`It is <b class="bad">failing since ${time(failingSince)}</b>, for ${span(Math.max(0, Date.now() - new Date(failingSince)))}: no attempt has succeeded since.`);
  // A ledger of an older program has deliveries, and no time of the last one.
  if (lastSuccess) all.push(html`The last success was at ${time(lastSuccess)}.`);
  else if (ledger.delivered === 0) all.push('No attempt has succeeded so far.');
  all.push(html`The last outcome: <b class="break">${lastOutcome.summary}</b>, at ${time(lastOutcome.at)}.`);
  return all;
}

/** The state of an endpoint as sentences, the most important first. */
export function healthSentences(subscription) {
  const { health, suspended, ledger } = subscription;
  const all = [];
  if (suspended) all.push('Nothing is attempted: the subscription is suspended.');
  all.push(...standingSentences(subscription));
  if (!health) return [...all, 'Its shard does not answer just now; the figures below are from the store.'];
  if (health.hold) {
    all.push(html`${holdSentence(health.hold)}${health.hold.until ? html`; next try at ${time(health.hold.until, { short: true })}` : nothing}.`);
    if (health.hold.reason.startsWith(REFUSES)) all.push('One delivery at a time is tried, and the rest goes on with the first that is taken.');
  }
  if (health.pausedUntil) all.push(html`The endpoint asked for silence until ${time(health.pausedUntil, { short: true })}, in ${span(Math.max(0, new Date(health.pausedUntil) - Date.now()))}.`);
  if (health.throttledMillis > 0) all.push(`The throttle holds the next attempt for ${span(health.throttledMillis)}.`);
  all.push(
    health.limit >= health.maxInFlight && health.limitReason === 'maximum'
      ? `All ${exact(health.maxInFlight)} places are open: it may be sent ${exact(health.maxInFlight)} at a time.`
      : html`It may be sent <b>${exact(health.limit)}</b> at a time, of ${exact(health.maxInFlight)} at best: ${LIMITS[health.limitReason] ?? health.limitReason}.`,
  );
  all.push(health.inFlight ? `${count(health.inFlight, 'attempt')} ${health.inFlight === 1 ? 'is' : 'are'} under way.` : 'No attempt is under way.');
  if (ledger.pending === 0) all.push('Nothing is pending.');
  else if (health.nextDueAt && new Date(health.nextDueAt) > Date.now()) all.push(html`${count(ledger.pending, 'delivery', 'deliveries')} pending; the next is due at ${clockTime(new Date(health.nextDueAt))}.`);
  else all.push(`${count(ledger.pending, 'delivery', 'deliveries')} pending.`);
  return all;
}

/** Whether a subscription has a policy of its own that its topic overrides. */
export function isOverridden({ policy, effectivePolicy: { healthyRetryPolicyFrom, throttlePolicyFrom } }) {
  if (!policy) return false;
  if ([healthyRetryPolicyFrom, throttlePolicyFrom].includes('topic')) return true;
  // Without anything of the topic's, presets hold in the place of what the subscription has.
  return (policy.healthyRetryPolicy && healthyRetryPolicyFrom !== 'subscription') || (policy.throttlePolicy && throttlePolicyFrom !== 'subscription');
}

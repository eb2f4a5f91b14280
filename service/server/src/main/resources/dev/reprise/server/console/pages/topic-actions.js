// What is said of topics and done to them, on the page of all and on that of one.
import { html, nothing } from 'lit';
import * as api from '../lib/api.js';
import { ask } from '../lib/dialog.js';
import { count, exact } from '../lib/text.js';
import { gather, losses, named, typed } from './subscription-actions.js';

/** A topic's policy in a few words. */
export function policyWords(policy) {
  const own = policy.healthyRetryPolicy;
  const throttle = policy.throttlePolicy;
  return html`${own
    ? own.numRetries === undefined ? 'a policy of its own' : html`${count(own.numRetries, 'retry', 'retries')} <span class="soft small">its own policy</span>`
    : html`<span class="soft nowrap">preset of the protocol</span>`}${throttle ? html`<br><span class="soft small nowrap">at most ${exact(throttle.maxReceivesPerSecond)} per second each</span>` : nothing}${policy.disableSubscriptionOverrides
    ? html`<br><span class="soft small">for all its subscriptions</span>`
    : nothing}`;
}

/** Deletes a topic and its subscriptions, once one has seen what goes with them. */
export async function deleteTopic(app, name) {
  let all;
  try {
    all = await gather({ topic: name });
  } catch (error) {
    app.tell(error.message, true);
    return undefined;
  }
  const confirm = all.ids.length ? typed(name) : null;
  const done = await ask({
    title: `Delete the topic ${name}?`,
    confirm: 'Delete',
    question: confirm?.text ?? nothing,
    consequences: [
      'Whoever publishes to it is refused from then on.',
      ...(all.ids.length ? [html`<b class="bad">${count(all.ids.length, 'subscription')}</b> will be deleted with it: <span class="break">${named(all.ids)}</span>.`, ...losses(all)] : ['It has no subscriptions, so no delivery is lost.']),
    ],
    action: async (form) => {
      confirm?.check(form);
      for (const id of all.ids) {
        try {
          await api.del(api.path`/v1/subscriptions/${id}`);
        } catch (error) {
          if (error.status !== 404) throw error;
        }
      }
      await api.del(api.path`/v1/topics/${name}`);
    },
  });
  if (done) app.tell(`${name} is deleted.`);
  return done;
}

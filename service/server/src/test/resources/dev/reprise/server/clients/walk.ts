// Uses the generated client: the service's address and the endpoint's are the arguments.
import {
  Configuration,
  DeadLettersApi,
  DeliveriesApi,
  ErrorAnswerFromJSON,
  LedgerApi,
  MessagesApi,
  PoliciesApi,
  ResponseError,
  SubscriptionsApi,
  TopicsApi,
} from './client';

declare const process: { argv: string[]; exit(code: number): void };

function say(name: string, ...values: unknown[]) {
  console.log(name, ...values);
}

const pause = () => new Promise((resolve) => setTimeout(resolve, 20));

async function walk(url: string, endpoint: string) {
  const at = new Configuration({ basePath: url });
  const topics = new TopicsApi(at);
  const subscriptions = new SubscriptionsApi(at);
  const messages = new MessagesApi(at);
  const deadLetters = new DeadLettersApi(at);
  const deliveries = new DeliveriesApi(at);
  const policies = new PoliciesApi(at);

  const topicPolicy = { healthyRetryPolicy: { numRetries: 0 } };
  say('topic', (await topics.putTopic({ topic: 'typescript', topicPolicy })).name);
  const { id } = await subscriptions.subscribe({
    topic: 'typescript',
    subscriptionSettings: { endpoint },
  });
  say('subscription', id);

  const message = {
    body: { order: 4711, lines: [1, 2] },
    attributes: { country: ['DE', 'FR'], total: 12.5, paid: true },
  };
  const request = { topic: 'typescript', message, idempotencyKey: 'key-1' };
  const receipt = await messages.publish(request);
  say('repeated', (await messages.publish(request)).repeated);

  let dead = await deadLetters.listDeadLetters({ id, limit: 10 });
  while (dead.items.length === 0) {
    await pause();
    dead = await deadLetters.listDeadLetters({ id, limit: 10 });
  }
  say('dead', dead.items[0].stopReason, dead.next === null);
  say('listed', (await deliveries.listDeliveries({ subscription: id })).items[0].status);
  const deliveryId = receipt.messageId + '@' + id;
  const delivery = await deliveries.getDelivery({ id: deliveryId });
  say('attributes', JSON.stringify(delivery.payload?.attributes['country']));
  say('history', delivery.history[0].outcome?.status);

  say('redriven', (await deadLetters.redrive({ id, redrive: {} })).changed);
  while ((await deliveries.getDelivery({ id: deliveryId })).status !== 'delivered') {
    await pause();
  }
  const subscriptionChange = { maxInFlight: 8 };
  const changed = await subscriptions.changeSubscription({ id, subscriptionChange });
  say('changed', changed.maxInFlight);
  say('health', (await subscriptions.getSubscription({ id })).health?.maxInFlight);
  say('ledger', (await new LedgerApi(at).getLedger({ verify: true })).total.delivered);
  say('presets', (await policies.listPresets()).length > 5);
  say('preview', (await policies.preview({ body: { preset: 'no-retry' } })).retries);
  try {
    await topics.getTopic({ topic: 'none' });
  } catch (refused) {
    if (!(refused instanceof ResponseError)) {
      throw refused;
    }
    const error = ErrorAnswerFromJSON(await refused.response.json());
    say('error', refused.response.status, error.error.code);
  }
}

walk(process.argv[2], process.argv[3]).catch((failure) => {
  console.error(failure);
  process.exit(1);
});

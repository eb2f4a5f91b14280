"""Uses the generated client: the service's address and the endpoint's are the arguments."""

import sys
import time

import openapi_client as reprise


def say(name, *values):
    print(name, *values)


client = reprise.ApiClient(reprise.Configuration(host=sys.argv[1]))
topics = reprise.TopicsApi(client)
subscriptions = reprise.SubscriptionsApi(client)
messages = reprise.MessagesApi(client)
dead_letters = reprise.DeadLettersApi(client)
deliveries = reprise.DeliveriesApi(client)
policies = reprise.PoliciesApi(client)

policy = reprise.TopicPolicy(healthyRetryPolicy={"numRetries": 0})
say("topic", topics.put_topic("python", policy).name)
settings = reprise.SubscriptionSettings(endpoint=sys.argv[2])
subscription = subscriptions.subscribe("python", settings).id
say("subscription", subscription)

message = reprise.Message(
    body={"order": 4711, "lines": [1, 2]},
    attributes={"country": ["DE", "FR"], "total": 12.5, "paid": True},
)
receipt = messages.publish("python", message, idempotency_key="key-1")
again = messages.publish("python", message, idempotency_key="key-1")
say("repeated", again.repeated)

dead = dead_letters.list_dead_letters(subscription, limit=10)
while not dead.items:
    time.sleep(0.02)
    dead = dead_letters.list_dead_letters(subscription, limit=10)
say("dead", dead.items[0].stop_reason, dead.next is None)
say("listed", deliveries.list_deliveries(subscription=subscription).items[0].status)
delivery_id = receipt.message_id + "@" + subscription
delivery = deliveries.get_delivery(delivery_id)
say("attributes", delivery.payload.attributes["country"])
say("history", delivery.history[0].outcome.status)

say("redriven", dead_letters.redrive(subscription, reprise.Redrive()).changed)
while deliveries.get_delivery(delivery_id).status != "delivered":
    time.sleep(0.02)
change = reprise.SubscriptionChange(maxInFlight=8)
say("changed", subscriptions.change_subscription(subscription, change).max_in_flight)
say("health", subscriptions.get_subscription(subscription).health.max_in_flight)
say("ledger", reprise.LedgerApi(client).get_ledger(verify=True).total.delivered)
say("presets", len(policies.list_presets()) > 5)
say("preview", policies.preview({"preset": "no-retry"}).retries)
try:
    topics.get_topic("none")
except reprise.ApiException as refused:
    say("error", refused.status, refused.data.error.code)

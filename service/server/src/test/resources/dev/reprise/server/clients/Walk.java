import java.util.List;
import java.util.Map;
import org.openapitools.client.ApiClient;
import org.openapitools.client.ApiException;
import org.openapitools.client.api.DeadLettersApi;
import org.openapitools.client.api.DeliveriesApi;
import org.openapitools.client.api.LedgerApi;
import org.openapitools.client.api.MessagesApi;
import org.openapitools.client.api.PoliciesApi;
import org.openapitools.client.api.SubscriptionsApi;
import org.openapitools.client.api.TopicsApi;
import org.openapitools.client.model.Deliveries;
import org.openapitools.client.model.Delivery;
import org.openapitools.client.model.ErrorAnswer;
import org.openapitools.client.model.Message;
import org.openapitools.client.model.Redrive;
import org.openapitools.client.model.SubscriptionChange;
import org.openapitools.client.model.SubscriptionSettings;
import org.openapitools.client.model.TopicPolicy;

/** Uses the generated client: the service's address and the endpoint's are the arguments. */
public class Walk {
  public static void main(String[] args) throws Exception {
    ApiClient client = new ApiClient();
    client.updateBaseUri(args[0]);
    TopicPolicy policy = new TopicPolicy().healthyRetryPolicy(Map.of("numRetries", 0));
    say("topic", new TopicsApi(client).putTopic("java", policy).getName());
    SubscriptionsApi subscriptions = new SubscriptionsApi(client);
    String subscription =
        subscriptions.subscribe("java", new SubscriptionSettings().endpoint(args[1])).getId();
    say("subscription", subscription);

    Message message =
        new Message()
            .body(Map.of("order", 4711, "lines", List.of(1, 2)))
            .attributes(Map.of("country", List.of("DE", "FR"), "total", 12.5, "paid", true));
    MessagesApi messages = new MessagesApi(client);
    String id = messages.publish("java", message, "key-1", null, null).getMessageId();
    say("repeated", messages.publish("java", message, "key-1", null, null).getRepeated());

    DeadLettersApi deadLetters = new DeadLettersApi(client);
    Deliveries dead = deadLetters.listDeadLetters(
            subscription, null, null, null, null, null, null, 10, null);
    while (dead.getItems().isEmpty()) {
      Thread.sleep(20);
      dead = deadLetters.listDeadLetters(
            subscription, null, null, null, null, null, null, 10, null);
    }
    say("dead", dead.getItems().get(0).getStopReason() + " " + (dead.getNext() == null));
    DeliveriesApi deliveries = new DeliveriesApi(client);
    say(
        "listed",
        deliveries.listDeliveries(subscription, null, null, null, null).getItems().get(0).getStatus());
    String deliveryId = id + "@" + subscription;
    Delivery delivery = deliveries.getDelivery(deliveryId);
    say("attributes", delivery.getPayload().getAttributes().get("country"));
    say("history", delivery.getHistory().get(0).getOutcome().getStatus());

    say("redriven", deadLetters.redrive(subscription, new Redrive()).getChanged());
    while (!deliveries.getDelivery(deliveryId).getStatus().toString().equals("delivered")) {
      Thread.sleep(20);
    }
    say(
        "changed",
        subscriptions
            .changeSubscription(subscription, new SubscriptionChange().maxInFlight(8))
            .getMaxInFlight());
    say("health", subscriptions.getSubscription(subscription).getHealth().getMaxInFlight());
    say("ledger", new LedgerApi(client).getLedger(true).getTotal().getDelivered());
    PoliciesApi policies = new PoliciesApi(client);
    say("presets", policies.listPresets().size() > 5);
    say("preview", policies.preview(Map.of("preset", "no-retry")).getRetries());
    try {
      new TopicsApi(client).getTopic("none");
    } catch (ApiException e) {
      ErrorAnswer error =
          ApiClient.createDefaultObjectMapper()
              .readValue(e.getResponseBody(), ErrorAnswer.class);
      say("error", e.getCode() + " " + error.getError().getCode());
    }
  }

  private static void say(String name, Object value) {
    System.out.println(name + " " + value);
  }
}

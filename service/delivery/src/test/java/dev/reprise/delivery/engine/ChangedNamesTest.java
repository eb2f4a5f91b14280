package dev.reprise.delivery.engine;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.delivery.Attempt;
import dev.reprise.delivery.AttemptOutcome;
import dev.reprise.delivery.HeldDeliveries;
import dev.reprise.delivery.Payload;
import dev.reprise.delivery.ShardSettings;
import dev.reprise.delivery.catalog.CatalogDocuments;
import dev.reprise.delivery.catalog.NameChange;
import dev.reprise.delivery.catalog.Subscription;
import dev.reprise.delivery.catalog.SubscriptionSettings;
import dev.reprise.delivery.host.EngineSettings;
import dev.reprise.delivery.secret.SecretKeys;
import dev.reprise.delivery.store.RocksSettings;
import dev.reprise.fixtures.Await;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.json.JsonMapper;

/** Subscriptions of versions that read host names by IDNA 2003, with the real store. */
class ChangedNamesTest {
  private static final String ENDPOINT = "https://faß.de/hook";

  private static final SecretKeys KEYS = SecretKeys.parse(SecretKeys.newLine("k1"), "keys.txt");

  @TempDir Path folder;

  /** The attempts at each subscription. */
  private final Map<Long, Integer> attempts = new ConcurrentHashMap<>();

  private DeliveryEngine open() {
    return DeliveryEngine.open(
        new EngineSettings(
            folder,
            2,
            ShardSettings.DEFAULT,
            RocksSettings.defaults().withReserveBytes(0).withoutSync(),
            Duration.ZERO),
        catalog -> this::attempt);
  }

  private void attempt(Attempt claim, Consumer<AttemptOutcome> done) {
    attempts.merge(claim.subscription(), 1, Integer::sum);
    done.accept(new AttemptOutcome(null, 200, "200 OK", "192.0.2.1:443", new byte[0], 1));
  }

  /** Stores a subscription as it was before there was a mark. */
  private static Subscription old(DeliveryEngine engine, String endpoint) {
    engine.addTopic("orders");
    return engine.subscribe(
        "orders", SubscriptionSettings.of(endpoint).withNamesByUts46(/* confirmed= */ false));
  }

  private static void publish(DeliveryEngine engine) {
    Payload payload = new Payload("text/plain", new byte[0], "x".getBytes(UTF_8));
    engine
        .publish("orders", payload, JsonMapper.shared().createObjectNode(), null)
        .toCompletableFuture()
        .orTimeout(5, TimeUnit.MINUTES)
        .join();
  }

  private static @Nullable HeldDeliveries held(DeliveryEngine engine, Subscription subscription) {
    return engine.reader(subscription).held(subscription.number());
  }

  @Test
  void aChangedNameIsHeldUntilItsEndpointIsGivenAgain() {
    Subscription old;
    Subscription same;
    try (DeliveryEngine engine = open()) {
      old = old(engine, ENDPOINT);
      same = old(engine, "https://bücher.example/hook");
      publish(engine);
      Await.until("an attempt", () -> attempts.containsKey(same.number()));
    }
    for (int start = 0; start < 2; start++) {
      try (DeliveryEngine engine = open()) {
        publish(engine);
        Await.until("it is held", () -> held(engine, old) != null);
        assertThat(held(engine, old).suspension().reason())
            .startsWith(
                "endpoint: host 'faß.de' was sent to as fass.de (IDNA 2003) and is xn--fa-hia.de"
                    + " (UTS 46)")
            .containsOnlyOnce("fass.de");
        assertThat(held(engine, same)).isNull();
      }
    }
    assertThat(attempts).doesNotContainKey(old.number());

    try (DeliveryEngine engine = open()) {
      engine.changeSubscription(
          old.id(),
          settings ->
              CatalogDocuments.readSettings(
                  JsonMapper.shared().createObjectNode().put("maxInFlight", 7),
                  settings,
                  SecretKeys.NONE));
      assertThat(NameChange.of(engine.catalog().subscription(old.id()).settings())).isNotNull();
      engine.changeSubscription(
          old.id(),
          settings ->
              CatalogDocuments.readSettings(
                  JsonMapper.shared().createObjectNode().put("endpoint", ENDPOINT),
                  settings,
                  SecretKeys.NONE));
      Await.until(
          "three attempts", () -> attempts, () -> attempts.getOrDefault(old.number(), 0) == 3);
    }
    try (DeliveryEngine engine = open()) {
      publish(engine);
      Await.until(
          "four attempts", () -> attempts, () -> attempts.getOrDefault(old.number(), 0) == 4);
    }
  }

  @Test
  void givingOneNameDoesNotConfirmTheOther() {
    SubscriptionSettings endpoint = SubscriptionSettings.of(ENDPOINT).withNamesByUts46(false);
    String client = "\"clientId\":\"c\",\"clientSecret\":\"s\"";
    for (String http :
        List.of(
            "{\"tokenUrl\":\"https://auth.example/t\"," + client + "}", "{\"tokenUrl\":null}")) {
      SubscriptionSettings changed = changed(endpoint, "{\"http\":" + http + "}");
      assertThat(NameChange.of(changed)).startsWith("endpoint: ").contains("fass.de");
      assertThat(NameChange.of(changed(changed, "{\"endpoint\":\"" + ENDPOINT + "\"}"))).isNull();
    }

    SubscriptionSettings token =
        changed(
                SubscriptionSettings.of("https://a.example/hook"),
                "{\"http\":{\"tokenUrl\":\"https://faß.de/t\"," + client + "}}")
            .withNamesByUts46(false);
    SubscriptionSettings moved = changed(token, "{\"endpoint\":\"https://a.example/other\"}");
    assertThat(NameChange.of(moved)).startsWith("http.tokenUrl: ").contains("fass.de");
    assertThat(NameChange.of(changed(moved, "{\"http\":{\"tokenUrl\":\"https://faß.de/t\"}}")))
        .isNull();
    assertThat(NameChange.of(changed(moved, "{\"http\":null}"))).isNull();
  }

  @Test
  void aNewNameBesideOneThatNeverChangedIsGiven() {
    SubscriptionSettings old =
        SubscriptionSettings.of("https://bücher.example/ß").withNamesByUts46(false);
    SubscriptionSettings changed =
        changed(
            old,
            "{\"http\":{\"tokenUrl\":\"https://faß.de/t\",\"clientId\":\"c\","
                + "\"clientSecret\":\"s\"}}");
    assertThat(NameChange.of(changed)).isNull();
  }

  private static SubscriptionSettings changed(SubscriptionSettings before, String request) {
    return CatalogDocuments.readSettings(JsonMapper.shared().readTree(request), before, KEYS);
  }

  @Test
  void anOperatorsOwnSuspensionStaysWhenTheNameIsConfirmed() {
    Subscription old;
    try (DeliveryEngine engine = open()) {
      old = old(engine, ENDPOINT);
      engine
          .backlog(old)
          .suspend("moving", Duration.ofDays(1), 10)
          .toCompletableFuture()
          .orTimeout(5, TimeUnit.MINUTES)
          .join();
    }
    try (DeliveryEngine engine = open()) {
      publish(engine);
      Await.until("it is held", () -> held(engine, old).suspension().reason().contains("fass.de"));
      assertThat(held(engine, old).suspension().reason()).endsWith("; moving");
      engine.changeSubscription(old.id(), settings -> settings.withNamesByUts46(true));
      publish(engine);

      Await.until("its reason", () -> held(engine, old).suspension().reason().equals("moving"));
      assertThat(attempts).isEmpty();
    }
  }

  @Test
  void newSubscriptionsAreMeantAsTheyAreRead() {
    Subscription made;
    try (DeliveryEngine engine = open()) {
      engine.addTopic("orders");
      made = engine.subscribe("orders", SubscriptionSettings.of(ENDPOINT));
    }
    try (DeliveryEngine engine = open()) {
      publish(engine);
      Await.until("an attempt", () -> attempts.containsKey(made.number()));
    }
  }

  @Test
  void mailboxesAndTokenUrlsAreNamedToo() {
    JsonMapper json = JsonMapper.shared();
    SubscriptionSettings mail =
        CatalogDocuments.readSettings(
            json.readTree(
                "{\"protocol\":\"email\",\"carrier\":\"relay\",\"endpoint\":\"ann@fußball.de\"}"),
            null,
            SecretKeys.NONE);

    assertThat(NameChange.of(mail)).isNull();
    assertThat(NameChange.of(mail.withNamesByUts46(false)))
        .contains("fussball.de", "xn--fuball-cta.de");
    assertThat(NameChange.of(SubscriptionSettings.of("http://a.de/ß").withNamesByUts46(false)))
        .isNull();
    SubscriptionSettings refused =
        SubscriptionSettings.of("http://\u200cb.de/").withNamesByUts46(false);
    assertThat(NameChange.of(refused)).contains("joiner").contains("change the endpoint");
    assertThat(NameChange.canBeConfirmed(refused)).isFalse();
    assertThat(NameChange.canBeConfirmed(mail.withNamesByUts46(false))).isTrue();
  }
}

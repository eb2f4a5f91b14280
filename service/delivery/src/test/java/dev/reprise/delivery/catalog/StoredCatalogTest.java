package dev.reprise.delivery.catalog;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.reprise.delivery.Protocol;
import dev.reprise.delivery.secret.SecretKeys;
import dev.reprise.delivery.store.Batch;
import dev.reprise.delivery.store.RocksSettings;
import dev.reprise.delivery.store.RocksStore;
import dev.reprise.delivery.store.Store;
import dev.reprise.delivery.store.StoreException;
import dev.reprise.policy.NotificationPolicy;
import dev.reprise.policy.PolicyDocuments;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Topics and subscriptions that another version has stored. */
class StoredCatalogTest {
  @TempDir Path folder;
  private RocksStore rocks;
  private Store store;

  @BeforeEach
  void open() {
    rocks = RocksStore.open(folder, RocksSettings.defaults());
    store = rocks.view(0);
  }

  @AfterEach
  void close() {
    rocks.close();
  }

  /** Nobody has to be told here. */
  private void configured(Topic topic, Subscription subscription) {}

  private static byte[] key(String topic) {
    return ("T" + topic).getBytes(UTF_8);
  }

  private static byte[] key(long subscription) {
    return ByteBuffer.allocate(9).put((byte) 'S').putLong(subscription).array();
  }

  private void put(byte[] key, String document) {
    Batch batch = new Batch();
    batch.put(key, document.getBytes(UTF_8));
    store.write(batch);
  }

  private JsonNode stored(byte[] key) {
    return JsonMapper.shared().readTree(store.get(key));
  }

  private void putTopic(String policy, String more) {
    put(key("t"), "{\"name\":\"t\",\"createdAt\":5,\"policy\":" + policy + more + "}");
  }

  private void putSubscription(String settings) {
    put(
        key(1),
        "{\"number\":1,\"topic\":\"t\",\"createdAt\":6,\"owner\":\"me\",\"settings\":"
            + settings
            + "}");
  }

  @Test
  void fieldsThatAreNotKnownAreKeptByALaterChange() {
    putTopic(
        "{\"healthyRetryPolicy\":{\"numRetries\":7,\"hedge\":true},\"quota\":9}",
        ",\"tier\":\"gold\"");
    putSubscription(
        "{\"endpoint\":\"http://a.example/\",\"signing\":{\"key\":\"k\"},\"lifetime\":\"PT1H\","
            + "\"policy\":{\"throttlePolicy\":{\"maxReceivesPerSecond\":5,\"burst\":2}}}");
    Catalog catalog = new Catalog(store);

    catalog.changeSubscription(
        "t-1",
        settings ->
            CatalogDocuments.readSettings(
                JsonMapper.shared().readTree("{\"maxInFlight\":3,\"lifetime\":null}"),
                settings,
                SecretKeys.NONE),
        this::configured);
    JsonNode changed = stored(key(1));
    assertThat(changed.at("/settings/maxInFlight").intValue()).isEqualTo(3);
    assertThat(changed.at("/settings").has("lifetime")).isFalse();
    assertThat(changed.at("/settings/signing/key").asString()).isEqualTo("k");
    assertThat(changed.at("/settings/policy/throttlePolicy/burst").intValue()).isEqualTo(2);
    assertThat(changed.get("owner").asString()).isEqualTo("me");

    NotificationPolicy same = catalog.topic("t").topic().policy();
    catalog.putTopic(new Topic(Topic.DEFAULT_PROJECT, "t", same, 1), this::configured);
    assertThat(stored(key("t")).at("/policy/healthyRetryPolicy/hedge").booleanValue()).isTrue();
    catalog.putTopic(
        new Topic(Topic.DEFAULT_PROJECT, "t", PolicyDocuments.readTopic("{}"), 1),
        this::configured);
    assertThat(stored(key("t")).get("tier").asString()).isEqualTo("gold");
    assertThat(stored(key("t")).get("policy").has("quota")).isFalse();
    assertThat(stored(key("t")).get("createdAt").intValue()).isEqualTo(5);
  }

  @Test
  void aSubscriptionWithoutAProtocolIsHttp() {
    putTopic("{}", "");
    putSubscription("{\"endpoint\":\"https://a.example/hook\",\"format\":\"raw\"}");
    Catalog catalog = new Catalog(store);

    SubscriptionSettings settings = catalog.subscription("t-1").settings();
    assertThat(settings.protocol()).isEqualTo(Protocol.HTTP);
    assertThat(settings.carrier()).isNull();
    assertThat(settings.isUrl()).isTrue();
    assertThat(settings.format()).isEqualTo(BodyFormat.RAW);
    assertThat(settings.http()).isEqualTo(HttpEndpointSettings.NONE);

    catalog.changeSubscription(
        "t-1",
        before ->
            CatalogDocuments.readSettings(
                JsonMapper.shared().readTree("{\"maxInFlight\":3}"), before, SecretKeys.NONE),
        this::configured);
    assertThat(new Catalog(store).subscription("t-1").settings().protocol())
        .isEqualTo(Protocol.HTTP);
  }

  @Test
  void whatWasAcceptedOnceIsNotJudgedByNewerRules() {
    String policy =
        "{\"healthyRetryPolicy\":{\"numRetries\":5000,\"minDelayTarget\":1,\"maxDelayTarget\":"
            + "90000},\"disableSubscriptionOverrides\":false}";
    putTopic(policy, "");
    String values = "1,".repeat(5000) + "2";
    putSubscription(
        "{\"endpoint\":\"gopher://old\",\"lifetime\":\"PT0.1S\",\"maxInFlight\":5000,"
            + "\"filter\":{\"a\":[{\"anything-but\":["
            + values
            + "]}]}}");
    Catalog catalog = new Catalog(store);

    Topic topic = catalog.topic("t").topic();
    assertThat(topic.policy().healthyRetryPolicy().numRetries()).isEqualTo(5000);
    assertThat(PolicyDocuments.writeStored(topic.policy()).at("/healthyRetryPolicy/maxDelayTarget"))
        .hasToString("90000");
    SubscriptionSettings settings = catalog.subscription("t-1").settings();
    assertThat(settings.lifetime()).isEqualTo(Duration.ofMillis(100));
    assertThat(settings.maxInFlight()).isEqualTo(5000);
    assertThat(settings.filter().matches("{\"a\":1}".getBytes(UTF_8))).isFalse();
    assertThat(settings.filter().matches("{\"a\":3}".getBytes(UTF_8))).isTrue();

    catalog.changeSubscription(
        "t-1",
        before ->
            CatalogDocuments.readSettings(
                JsonMapper.shared().readTree("{\"format\":\"raw\"}"), before, SecretKeys.NONE),
        this::configured);
    assertThat(new Catalog(store).subscription("t-1").settings().filter())
        .isEqualTo(settings.filter());
  }

  @Test
  void topicsOfTwoProjectsMayHaveOneName() {
    putTopic("{}", "");
    Catalog catalog = new Catalog(store);
    NotificationPolicy nothing = PolicyDocuments.readTopic("{}");
    catalog.putTopic(new Topic("shop", "t", nothing, 2), this::configured);
    SubscriptionSettings settings = SubscriptionSettings.of("https://example.com/");
    String own = catalog.addSubscription("default", "t", settings, 1, this::configured).id();
    String other = catalog.addSubscription("shop", "t", settings, 1, this::configured).id();

    for (Catalog read : List.of(catalog, new Catalog(store))) {
      assertThat(read.of("default").subscriptions())
          .extracting(Subscription::id)
          .containsExactly(own);
      assertThat(read.of("shop").subscriptions())
          .extracting(Subscription::id)
          .containsExactly(other);
      assertThat(read.of("shop").topic("t").topic().createdAtMillis()).isEqualTo(2);
      assertThat(read.of("none").topics()).isEmpty();
      assertThatExceptionOfType(NotFoundException.class)
          .isThrownBy(() -> read.of("shop").subscription(own));
      assertThat(read.topics()).hasSize(2);
    }
    catalog.deleteSubscription(other);
    catalog.deleteTopic("shop", "t");
    assertThat(new Catalog(store).topic("t").subscriptions()).hasSize(1);
  }

  @Test
  void whatCannotBeReadIsRefusedByNameWithTheRemedy() {
    putTopic("{\"healthyRetryPolicy\":{\"preset\":\"of-the-future\"}}", "");
    assertThatExceptionOfType(StoreException.class)
        .isThrownBy(() -> new Catalog(store))
        .withMessageStartingWith(
            "topic 't' is stored in a form that this version cannot read:"
                + " healthyRetryPolicy.preset is \"of-the-future\"")
        .withMessageEndingWith(
            "Nothing was changed. Start the version that wrote it, or restore the folder from a"
                + " backup");

    putTopic("{}", "");
    putSubscription("{\"endpoint\":\"http://a.example/\",\"format\":\"of-the-future\"}");
    assertThatExceptionOfType(StoreException.class)
        .isThrownBy(() -> new Catalog(store))
        .withMessageStartingWith("subscription 1 is stored in a form")
        .withMessageContaining("format is \"of-the-future\"");
  }

  /** A stored topic that looks like the reserved one is its owner's, as it was. */
  @Test
  void noStoredTopicIsTakenForTheReservedOne() {
    Catalog before = new Catalog(store);
    NotificationPolicy nothing = new NotificationPolicy(null, null, false);
    for (String name : List.of("reprise.operator", "reprise.events", "reprise-operator")) {
      before.putTopic(
          new Topic(Topic.DEFAULT_PROJECT, Topic.checkName(name), nothing, 1), this::configured);
    }
    assertThatExceptionOfType(InvalidRequestException.class)
        .isThrownBy(() -> Topic.checkName("reprise:events"));
    Catalog catalog = new Catalog(store);
    assertThat(catalog.topics()).hasSize(3).noneMatch(entry -> entry.topic().isReserved());
    assertThat(catalog.topic(Topic.OPERATOR).topic().isReserved()).isTrue();
    assertThatExceptionOfType(ConflictException.class)
        .isThrownBy(() -> catalog.deleteTopic(Topic.DEFAULT_PROJECT, Topic.OPERATOR));
  }

  @Test
  void labellingIsStoredAndAnOlderRecordHasNone() {
    putTopic("{}", "");
    putSubscription("{\"endpoint\":\"http://a.example/\"}");
    Catalog catalog = new Catalog(store);
    assertThat(catalog.subscription("t-1").settings().labelling()).isEqualTo(Labelling.NONE);

    Labelling labelling = new Labelling("Acme", Map.of("team", "billing"), "c-42");
    catalog.changeSubscription(
        "t-1", settings -> settings.withLabelling(labelling), this::configured);
    assertThat(new Catalog(store).subscription("t-1").settings().labelling()).isEqualTo(labelling);
    assertThat(stored(key(1)).get("settings").toString())
        .contains("\"name\":\"Acme\",\"labels\":{\"team\":\"billing\"},\"customer\":\"c-42\"");

    catalog.changeSubscription(
        "t-1", settings -> settings.withLabelling(Labelling.NONE), this::configured);
    assertThat(stored(key(1)).get("settings").toString())
        .doesNotContain("name", "labels", "customer");
  }
}

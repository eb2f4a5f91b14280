package dev.reprise.server.http;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.delivery.catalog.Catalog;
import dev.reprise.delivery.catalog.Subscription;
import dev.reprise.delivery.catalog.SubscriptionSettings;
import dev.reprise.delivery.catalog.Topic;
import dev.reprise.delivery.host.SubscriptionShards;
import dev.reprise.delivery.store.RocksSettings;
import dev.reprise.delivery.store.RocksStore;
import dev.reprise.policy.NotificationPolicy;
import dev.reprise.server.api.OpenApiTest;
import dev.reprise.server.proxy.RequestSource;
import io.vertx.core.MultiMap;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The shard whose owner answers an operation, whatever its path is called. */
class PlacementTest {
  private static final int SHARDS = 16;

  @TempDir Path folder;
  private RocksStore store;
  private Placement placement;
  private Catalog catalog;
  private Subscription subscription;

  @BeforeEach
  void open() {
    store = RocksStore.open(folder, RocksSettings.defaults().withReserveBytes(0).withoutSync());
    catalog = new Catalog(store.view(0));
    catalog.putTopic(
        new Topic(Topic.DEFAULT_PROJECT, "orders", new NotificationPolicy(null, null, false), 1),
        (topic, changed) -> {});
    placement = new Placement(catalog, SHARDS);
    // Not of the shard that has the catalog.
    do {
      subscription = subscribe(1);
    } while (shard(subscription) == Placement.CATALOG);
  }

  @AfterEach
  void close() {
    store.close();
  }

  private Subscription subscribe(int shards) {
    return catalog.addSubscription(
        Topic.DEFAULT_PROJECT,
        "orders",
        SubscriptionSettings.of("http://192.0.2.1/hook").withShards(shards),
        1,
        (topic, made) -> {});
  }

  private static int shard(Subscription subscription) {
    return SubscriptionShards.of(subscription, SHARDS).shard(0);
  }

  private int of(Place place, Map<String, String> path, String... parameter) {
    MultiMap parameters = MultiMap.caseInsensitiveMultiMap();
    if (parameter.length > 0) {
      parameters.add(parameter[0], parameter[1]);
    }
    MultiMap headers = MultiMap.caseInsensitiveMultiMap();
    Project project =
        new Project(
            catalog.of(Topic.DEFAULT_PROJECT), 0, ProjectSettings.OF_DEFAULT, System::nanoTime);
    Permit permit = new Permit(Caller.DEV, project, true, RequestSource.of("192.0.2.1"));
    Call call =
        new Call(
            path,
            parameters,
            List.copyOf(parameters.names()),
            headers,
            "{}".getBytes(UTF_8),
            permit);
    return placement.shardOf(place, call);
  }

  @Test
  void whatNeedsASubscriptionIsAnsweredByItsOwner() {
    String id = subscription.id();
    int owner = shard(subscription);
    assertThat(of(Place.SUBSCRIPTION, Map.of("id", id))).isEqualTo(owner);
    assertThat(of(Place.DELIVERY, Map.of("id", "0123@" + id))).isEqualTo(owner);
    assertThat(of(Place.SUBSCRIPTION_PARAMETER, Map.of(), "subscription", id)).isEqualTo(owner);
    assertThat(of(Place.KNOWN_SUBSCRIPTION, Map.of("id", id))).isEqualTo(Placement.ANYWHERE);
    assertThat(of(Place.TOPIC, Map.of("topic", "orders"))).isEqualTo(Placement.ANYWHERE);
  }

  @Test
  void whatIsNotKnownHereMayBeNew() {
    Map<String, String> unknown = Map.of("id", "sub_new");
    for (Place place : List.of(Place.SUBSCRIPTION, Place.KNOWN_SUBSCRIPTION)) {
      assertThat(of(place, unknown)).as("" + place).isEqualTo(Placement.CATALOG);
    }
    assertThat(of(Place.DELIVERY, Map.of("id", "0123@sub_new"))).isEqualTo(Placement.CATALOG);
    assertThat(of(Place.TOPIC, Map.of("topic", "new"))).isEqualTo(Placement.CATALOG);
  }

  @Test
  void aSubscriptionOverSeveralShardsIsAskedForAnywhere() {
    String id = subscribe(2).id();
    assertThat(of(Place.SUBSCRIPTION, Map.of("id", id))).isEqualTo(Placement.ANYWHERE);
  }

  @Test
  void whatIsNoIdIsRefusedAnywhere() {
    assertThat(of(Place.DELIVERY, Map.of("id", "no-id"))).isEqualTo(Placement.ANYWHERE);
    assertThat(of(Place.RECORD, Map.of("id", "no-id"))).isEqualTo(Placement.ANYWHERE);
    assertThat(of(Place.SUBSCRIPTION_PARAMETER, Map.of())).isEqualTo(Placement.ANYWHERE);
  }

  @Test
  void everyRouteHasWhatItsPlaceNeeds() {
    for (Route route : OpenApiTest.routes()) {
      String needed =
          switch (route.place()) {
            case TOPIC -> "{topic}";
            case SUBSCRIPTION, KNOWN_SUBSCRIPTION, DELIVERY, RECORD -> "{id}";
            case ANYWHERE, CATALOG, SUBSCRIPTION_PARAMETER -> "";
          };
      assertThat(route.pattern()).as(route.method() + " " + route.place()).contains(needed);
    }
  }
}

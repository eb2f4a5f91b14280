package dev.reprise.cluster.log;

import dev.reprise.cluster.base.ClusterException;
import dev.reprise.cluster.base.ClusterTopic;
import dev.reprise.cluster.base.KafkaClients;
import dev.reprise.cluster.base.TopicIds;
import dev.reprise.delivery.pause.Pauses;
import dev.reprise.delivery.store.StoreException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.config.TopicConfig;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks at the topics again and again while a node runs. A topic that was deleted, or made anew,
 * ends the node: clients of Kafka make brokers create a topic that they miss, which must not be
 * filled. A setting that endangers data is reported until it is corrected.
 *
 * <p>Safe for use by many threads.
 */
public final class TopicWatch implements LogReader.Logs, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(TopicWatch.class);

  /** A third of the time within which a change is to be noticed. */
  private static final Duration PERIOD = Duration.ofSeconds(20);

  /** A broker that has just begun may not know all topics yet: one that is missing may be there. */
  private static final Duration MISSING_LIMIT = Duration.ofSeconds(10);

  private static final Duration MISSING_LOOK = Duration.ofSeconds(1);

  private final KafkaClients clients;
  private final Topics topics;
  private final KnownTopics known;
  private final String prefix;
  private final Map<String, Long> deletionsKept = new ConcurrentHashMap<>();
  private final Thread thread = new Thread(this::run, "reprise-topics");
  private volatile List<TopicRules.Breach> breaches = List.of();
  private volatile Consumer<StoreException> ending = why -> {};
  private volatile boolean closed;
  private @Nullable Admin admin;

  /**
   * Looks at nothing yet.
   *
   * @param ids the topics as they were when the node began
   */
  public TopicWatch(KafkaClients clients, Topics topics, String prefix, TopicIds ids) {
    this.clients = clients;
    this.topics = topics;
    this.prefix = prefix;
    this.known = new KnownTopics(ids, "this node", () -> TopicLineage.NONE);
    thread.setDaemon(true);
  }

  /**
   * Looks from now on.
   *
   * @param end ends the node; receives the reason
   */
  public void start(Consumer<StoreException> end) {
    ending = end;
    thread.start();
  }

  /** Returns the ids of the topics. */
  public TopicIds ids() {
    return known.ids();
  }

  /** Returns the settings that endanger data, each with the way to correct it. */
  public List<String> faults() {
    return breaches.stream().map(TopicRules.Breach::message).toList();
  }

  @Override
  public long deletionsKeptMillis(String topic) {
    // Not known of a topic without deletions: nothing that was deleted can be missed there.
    return deletionsKept.getOrDefault(topic, Duration.ofDays(1).toMillis());
  }

  @Override
  public void requireSame() {
    try {
      StoreException replaced = replaced(topics.describe(admin()));
      if (replaced != null) {
        throw replaced;
      }
    } catch (ClusterException | InterruptedException e) {
      if (e instanceof InterruptedException) {
        Thread.currentThread().interrupt();
      }
      throw new StoreException("the topics cannot be looked at: " + e.getMessage(), false, e);
    }
  }

  private @Nullable StoreException replaced(Map<ClusterTopic, TopicDescription> now) {
    String difference = known.difference(Topics.ids(now), prefix);
    return difference == null ? null : new StoreException(difference, false, null);
  }

  /** Looks once, now. */
  public void look() throws InterruptedException {
    look(admin());
  }

  /** Looks once, through a client that is there already. */
  public void look(Admin client) throws InterruptedException {
    Map<ClusterTopic, TopicDescription> now = topics.describe(client);
    Pauses pauses = Pauses.every(MISSING_LOOK).within(MISSING_LIMIT);
    while (known.missing(Topics.ids(now), prefix) != null && pauses.next()) {
      now = topics.describe(client);
    }
    StoreException replaced = replaced(now);
    if (replaced != null) {
      ending.accept(replaced);
      return;
    }
    Map<String, TopicRules.Settings> settings =
        TopicLook.settings(client, now.keySet().stream().map(topics::name).toList());
    settings.forEach(this::noteDeletionsKept);
    tell(topics.breaches(now, settings));
  }

  private void noteDeletionsKept(String topic, TopicRules.Settings settings) {
    String millis = settings.value(TopicConfig.DELETE_RETENTION_MS_CONFIG);
    if (millis != null) {
      deletionsKept.put(topic, Long.parseLong(millis));
    }
  }

  private void tell(List<TopicRules.Breach> now) {
    List<TopicRules.Breach> before = breaches;
    breaches = now;
    now.stream()
        .filter(each -> !before.contains(each))
        .forEach(each -> LOG.error("{}", each.message()));
    before.stream()
        .filter(each -> !now.contains(each))
        .forEach(each -> LOG.info("topic {}: {} was changed", each.topic(), each.setting()));
  }

  private synchronized Admin admin() {
    if (closed) {
      throw new KafkaException("closed");
    }
    Admin client = admin;
    if (client == null) {
      client = clients.admin();
      admin = client;
    }
    return client;
  }

  private void run() {
    Pauses period = Pauses.every(PERIOD);
    while (!closed) {
      try {
        look();
      } catch (InterruptedException e) {
        return;
      } catch (ClusterException | KafkaException e) {
        if (!closed) {
          LOG.warn("the topics cannot be looked at: {}", e.getMessage());
        }
      }
      if (!period.nextUnlessInterrupted()) {
        return;
      }
    }
  }

  @Override
  public synchronized void close() {
    closed = true;
    thread.interrupt();
    Admin client = admin;
    if (client != null) {
      client.close(Duration.ZERO);
    }
  }
}

package dev.reprise.cluster.ownership;

import dev.reprise.cluster.intake.IntakeProducer;
import dev.reprise.cluster.log.Events;
import dev.reprise.cluster.log.ShardBacklog;
import dev.reprise.delivery.IntakeLog;
import dev.reprise.delivery.host.ShardLoop;
import dev.reprise.delivery.shard.ShardInput;
import dev.reprise.delivery.shard.StandRecord;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.ToLongFunction;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.jspecify.annotations.Nullable;

/**
 * Writes an event once when a shard stands, and once when it goes on. The shard's own transactions
 * may hang, or it may have no owner: so the events are no part of those. That an event was written
 * is remembered here, and in the shard's state as soon as the shard can write that: then a later
 * owner does not repeat it, and writes the event of the end.
 *
 * <p>For one thread; answers of the brokers may come on any.
 */
final class StandingEvents {
  private final String topic;
  private final IntakeProducer producer;
  private final Map<Integer, Told> told = new HashMap<>();

  /** The progress of the events of a shard. */
  private enum Step {
    /** The event that it stands is on its way. */
    BEGINNING,
    /** The brokers did not take it. */
    NOT_BEGUN,
    /** The brokers have it. */
    BEGUN,
    /** The event that it goes on is on its way. */
    ENDING,
    /** The brokers have both. */
    ENDED
  }

  /** The events of a shard that stands. */
  private static final class Told {
    final StandRecord stand;
    volatile Step step;

    /** The shard at work that was given the last note; null for none. */
    @Nullable ShardLoop noted;

    Told(StandRecord stand, Step step) {
      this.stand = stand;
      this.step = step;
    }
  }

  /**
   * A shard as it is found.
   *
   * @param where which log it takes nothing of, and since when; null unless it stands
   * @param passed returns the place in a log up to which nothing waits
   * @param stored what the copy of its state here remembers; null for nothing
   * @param running null if it is not at work here
   * @param tells whether this node writes that it stands: of several that see a shard without owner
   *     only one does
   */
  record Found(
      int shard,
      ShardBacklog backlog,
      @Nullable StandRecord where,
      ToLongFunction<IntakeLog> passed,
      @Nullable StandRecord stored,
      OwnedShard.@Nullable Running running,
      boolean tells) {
    boolean goesOn(StandRecord stand) {
      // A look has to have found what waits, and that it moves; at the next owner all seems to.
      return !backlog.stands()
          && (backlog.notTaken() == 0
              || (backlog.notTaken() > 0 && passed.applyAsLong(stand.log()) > stand.passed()));
    }
  }

  /**
   * The events of a node's shards.
   *
   * @param topic that of events
   */
  StandingEvents(String topic, IntakeProducer producer) {
    this.topic = topic;
    this.producer = producer;
  }

  /** Forgets all shards but these. */
  void retain(Set<Integer> shards) {
    told.keySet().retainAll(shards);
  }

  /** Writes the events of a shard that were not written yet. */
  void look(Found found, long nowMillis) {
    StandRecord stored = found.stored();
    Told known = told.get(found.shard());
    if (known == null && stored != null) {
      known = new Told(stored, Step.BEGUN);
      told.put(found.shard(), known);
    }
    if (known == null) {
      begin(found, nowMillis);
      return;
    }
    switch (known.step) {
      case BEGINNING, ENDING -> {}
      case NOT_BEGUN -> begin(found, nowMillis);
      case BEGUN -> {
        if (found.goesOn(known.stand)) {
          end(found, known, nowMillis);
        } else if (!known.stand.equals(stored)) {
          note(found, known, known.stand);
        }
      }
      case ENDED -> {
        if (stored != null) {
          note(found, known, null);
        } else if (found.running() != null) {
          told.remove(found.shard());
        }
      }
    }
  }

  private void begin(Found found, long nowMillis) {
    StandRecord where = found.where();
    if (where == null) {
      told.remove(found.shard());
      return;
    }
    Told now = new Told(where, found.tells() ? Step.BEGINNING : Step.BEGUN);
    if (found.tells() && producer.fault() != null) {
      // A look must not wait for brokers that do not answer.
      return;
    }
    told.put(found.shard(), now);
    if (found.tells()) {
      producer.tell(
          Events.standing(topic, found.shard(), found.backlog(), nowMillis),
          taken -> now.step = taken ? Step.BEGUN : Step.NOT_BEGUN);
    }
  }

  private void end(Found found, Told known, long nowMillis) {
    if (producer.fault() != null) {
      return;
    }
    known.step = Step.ENDING;
    known.noted = null;
    ProducerRecord<byte[], byte[]> event =
        Events.resumed(
            topic, found.shard(), found.backlog().notTaken(), known.stand.sinceMillis(), nowMillis);
    producer.tell(event, taken -> known.step = taken ? Step.ENDED : Step.BEGUN);
  }

  /** Has the shard write what is to be remembered, once wherever it is at work. */
  private static void note(Found found, Told known, @Nullable StandRecord stand) {
    OwnedShard.Running running = found.running();
    if (running != null && known.noted != running.loop()) {
      known.noted = running.loop();
      running.loop().submit(new ShardInput.Stands(stand));
    }
  }
}

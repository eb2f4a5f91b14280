package dev.reprise.server.document;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.reprise.server.schema.Described;
import dev.reprise.server.schema.Kind;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The service at a glance.
 *
 * @param topics how many there are
 * @param subscriptions how many there are
 * @param ledger of all deliveries
 */
@Described(name = "Overview")
public record OverviewDocument(
    @Described(value = "The time of this sample.", kind = Kind.TIME) String at,
    int topics,
    int subscriptions,
    @Described(
            "Figures a second; absent for the first look in a while, which has nothing to"
                + " compare with.")
        @JsonInclude(JsonInclude.Include.NON_NULL)
        @Nullable Rates rates,
    LedgerCounts ledger,
    @Described("Pending deliveries by the time since they were published, from young to old.")
        Backlog backlog,
    @Described(
            "The subscriptions with the most failed attempts, or else the most pending; ten at the"
                + " most, none of them suspended.")
        List<Worst> worst,
    @Described(
            "Suspended subscriptions that hold deliveries, those with the most first; ten at the"
                + " most.")
        List<Suspended> suspended,
    @Described("Carriers that are at fault themselves.") List<CarrierAtFault> carriersAtFault,
    @Described(
            "What waits because everything before it was refused for good with the same"
                + " code; one delivery at a time is tried. A hundred at the most; in a cluster,"
                + " those of this node's shards.")
        List<Held> held,
    @Described("Shards of a cluster that stand; those of other nodes as of a second or two ago.")
        List<ClusterDocument.Standing> standing,
    @Described(
            "Clocks that differ from their system's by more than a second; of a cluster each"
                + " node's, those of others as of a second or two ago.")
        List<ClockOff> clocks,
    @Described(
            "What an operator must act on, as in getTroubles; of other nodes as of a second or two"
                + " ago.")
        List<TroublesDocument.Trouble> troubles) {
  /**
   * Figures a second, over the time since the sample before.
   *
   * @param delivered deliveries
   */
  public record Rates(
      @Described("Over this time.") double seconds,
      @Described("Messages.") double published,
      double delivered,
      @Described("Attempts that failed and will be repeated.") double retried,
      @Described("Deliveries that became dead letters.") double deadLettered) {}

  /** Pending deliveries by the time since they were published. */
  public record Backlog(
      @Described("How many were looked at, those due first.") long seen,
      @Described("How many there are, without what is held for suspended subscriptions.")
          long pending,
      @Described("What is held for suspended subscriptions.") long held,
      @Described(
              value = "When the oldest that was seen was published; absent if there is none.",
              kind = Kind.TIME)
          @JsonInclude(JsonInclude.Include.NON_NULL)
          @Nullable String oldestAt,
      @Described("From young to old.") List<Age> ages) {}

  /** Pending deliveries of about an age. */
  public record Age(
      @Described("They are younger; absent for the oldest.")
          @JsonInclude(JsonInclude.Include.NON_NULL)
          @Nullable Long upToMillis,
      @Described("How many of those that were seen.") long count) {}

  /**
   * A subscription that fares badly.
   *
   * @param id of the subscription
   * @param topic whose messages it gets
   * @param pending deliveries
   */
  public record Worst(
      String id,
      @Described("The project of its topic.") String project,
      @Described("Its name for people; absent if it has none.")
          @JsonInclude(JsonInclude.Include.NON_NULL)
          @Nullable String name,
      @Described("Whose endpoint it is; absent if that is not said.")
          @JsonInclude(JsonInclude.Include.NON_NULL)
          @Nullable String customer,
      String topic,
      @Described("The kind of endpoint.") String protocol,
      @Described("Where its messages go.") String endpoint,
      @Described("Failed attempts of the present minute, so far.") long failedThisMinute,
      @Described("Failed attempts of the last whole minute.") long failedLastMinute,
      @Described("Failed attempts of the last 60 whole minutes and of the present one.")
          long failedLastHour,
      long pending,
      @Described("Deliveries that are kept after they were given up.") long deadLettered) {}

  /**
   * A suspended subscription that holds deliveries.
   *
   * @param id of the subscription
   * @param topic whose messages it gets
   * @param held deliveries
   */
  public record Suspended(
      String id,
      @Described("The project of its topic.") String project,
      @Described("Its name for people; absent if it has none.")
          @JsonInclude(JsonInclude.Include.NON_NULL)
          @Nullable String name,
      @Described("Whose endpoint it is; absent if that is not said.")
          @JsonInclude(JsonInclude.Include.NON_NULL)
          @Nullable String customer,
      String topic,
      @Described("The kind of endpoint.") String protocol,
      @Described("Where its messages go.") String endpoint,
      @Described(kind = Kind.TIME) String since,
      long held) {}

  /**
   * Deliveries that wait because everything before them was refused alike.
   *
   * @param reason for people
   */
  public record Held(
      @Described("Absent if all of a host or a carrier waits.")
          @JsonInclude(JsonInclude.Include.NON_NULL)
          @Nullable String subscription,
      @Described("The host or the carrier.") String group,
      @Described("Of the refusals, such as 403 or 550 5.7.1.") String code,
      @Described("The deliveries that were given up with it.") long count,
      String reason,
      @Described(value = "When they began to wait.", kind = Kind.TIME) String since) {}

  /**
   * A clock of the service that differs from the system's. Times of messages, history and records
   * are by the service's clock, signatures by the system's.
   */
  public record ClockOff(
      @Described("The node of a cluster whose clock it is; absent for a single service.")
          @JsonInclude(JsonInclude.Include.NON_NULL)
          @Nullable String node,
      @Described(
              value = "The lead over the system's clock; less than 0 if it is behind.",
              signed = true)
          long aheadMillis,
      @Described("How long they have differed.") long forMillis,
      @Described("The same in a sentence, and what becomes of it.") String text) {}

  /**
   * A carrier that is at fault itself.
   *
   * @param name of the carrier
   * @param fault the reason
   */
  public record CarrierAtFault(
      String name,
      String fault,
      @Described(value = "When it was first seen.", kind = Kind.TIME) String since) {}
}

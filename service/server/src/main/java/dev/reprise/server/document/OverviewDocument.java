package dev.reprise.server.document;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.reprise.server.schema.Described;
import dev.reprise.server.schema.Kind;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The service at a glance.
 *
 * @param at the time of this sample, in RFC 3339
 * @param topics how many there are
 * @param subscriptions how many there are
 * @param ledger of all deliveries
 * @param carriersAtFault those that are at fault themselves
 */
@Described(name = "Overview")
public record OverviewDocument(
    @Described(kind = Kind.TIME) String at,
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
            "The subscriptions with the most failures, or else the most pending; ten at the"
                + " most.")
        List<Worst> worst,
    List<CarrierAtFault> carriersAtFault,
    @Described(
            "What waits because everything before it was refused for good with the same"
                + " code; one delivery at a time is tried. A hundred at the most; in a cluster,"
                + " those of this node's shards.")
        List<Held> held,
    @Described("Shards of a cluster that stand; those of other nodes as of a second or two ago.")
        List<ClusterDocument.Standing> standing) {
  /**
   * Figures a second, over the time since the sample before.
   *
   * @param delivered deliveries
   * @param deadLettered deliveries that became dead letters
   */
  public record Rates(
      @Described("Over this time.") double seconds,
      @Described("Messages.") double published,
      double delivered,
      @Described("Attempts that failed and will be repeated.") double retried,
      double deadLettered) {}

  /**
   * Pending deliveries by the time since they were published.
   *
   * @param pending how many there were
   * @param oldestAt when the oldest that was seen was published, in RFC 3339; absent if there is
   *     none
   * @param ages from young to old
   */
  public record Backlog(
      @Described("How many were looked at, those due first.") long seen,
      long pending,
      @Described(kind = Kind.TIME) @JsonInclude(JsonInclude.Include.NON_NULL)
          @Nullable String oldestAt,
      List<Age> ages) {}

  /**
   * Pending deliveries of about an age.
   *
   * @param count how many of those that were seen
   */
  public record Age(
      @Described("They are younger; absent for the oldest.")
          @JsonInclude(JsonInclude.Include.NON_NULL)
          @Nullable Long upToMillis,
      long count) {}

  /**
   * A subscription that fares badly.
   *
   * @param id of the subscription
   * @param topic whose messages it gets
   * @param protocol the kind of endpoint
   * @param endpoint where they go
   * @param pending deliveries
   * @param deadLettered deliveries that are kept after they were given up
   */
  public record Worst(
      String id,
      String topic,
      String protocol,
      String endpoint,
      @Described("Failed attempts; older ones count less.") double failuresPerMinute,
      long pending,
      long deadLettered) {}

  /**
   * Deliveries that wait because everything before them was refused alike.
   *
   * @param reason for people
   * @param since when they began to wait, in RFC 3339
   */
  public record Held(
      @Described("Absent if all of a host or a carrier waits.")
          @JsonInclude(JsonInclude.Include.NON_NULL)
          @Nullable String subscription,
      @Described("The host or the carrier.") String group,
      @Described("Of the refusals, such as 403 or 550 5.7.1.") String code,
      @Described("The deliveries that were given up with it.") long count,
      String reason,
      @Described(kind = Kind.TIME) String since) {}

  /**
   * A carrier that is at fault itself.
   *
   * @param name of the carrier
   * @param fault the reason
   * @param since when it was first seen, in RFC 3339
   */
  public record CarrierAtFault(
      String name, String fault, @Described(kind = Kind.TIME) String since) {}
}

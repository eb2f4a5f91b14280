package dev.reprise.server.document;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The service at a glance.
 *
 * @param at the time of this sample, in RFC 3339
 * @param topics how many there are
 * @param subscriptions how many there are
 * @param rates null for the first look in a while, which has nothing to compare with
 * @param ledger of all deliveries
 * @param backlog pending deliveries by age
 * @param worst the subscriptions with the most failures, or else the most pending, ten at the most
 * @param carriersAtFault those that are at fault themselves
 * @param held what waits because everything before it was refused alike
 * @param standing the shards of a cluster that take nothing although something waits
 */
public record OverviewDocument(
    String at,
    int topics,
    int subscriptions,
    @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable Rates rates,
    LedgerCounts ledger,
    Backlog backlog,
    List<Worst> worst,
    List<CarrierAtFault> carriersAtFault,
    List<Held> held,
    List<ClusterDocument.Standing> standing) {
  /**
   * Figures a second, over the time since the sample before.
   *
   * @param seconds that time
   * @param published messages
   * @param delivered deliveries
   * @param retried attempts that failed and will be repeated
   * @param deadLettered deliveries that became dead letters
   */
  public record Rates(
      double seconds, double published, double delivered, double retried, double deadLettered) {}

  /**
   * Pending deliveries by the time since they were published.
   *
   * @param seen how many were looked at, those due first
   * @param pending how many there were
   * @param oldestAt when the oldest that was seen was published, in RFC 3339; absent if there is
   *     none
   * @param ages from young to old
   */
  public record Backlog(
      long seen,
      long pending,
      @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable String oldestAt,
      List<Age> ages) {}

  /**
   * Pending deliveries of about an age.
   *
   * @param upToMillis the age that they are below; absent for the oldest
   * @param count how many of those that were seen
   */
  public record Age(
      @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable Long upToMillis, long count) {}

  /**
   * A subscription that fares badly.
   *
   * @param id of the subscription
   * @param topic whose messages it gets
   * @param protocol the kind of endpoint
   * @param endpoint where they go
   * @param failuresPerMinute failed attempts; older ones count less
   * @param pending deliveries
   * @param deadLettered deliveries that are kept after they were given up
   */
  public record Worst(
      String id,
      String topic,
      String protocol,
      String endpoint,
      double failuresPerMinute,
      long pending,
      long deadLettered) {}

  /**
   * Deliveries that wait because everything before them was refused alike.
   *
   * @param subscription its id; absent if all of a host or a carrier waits
   * @param group the host or the carrier
   * @param code of the refusals
   * @param count how many deliveries were given up with it
   * @param reason for people
   * @param since when they began to wait, in RFC 3339
   */
  public record Held(
      @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable String subscription,
      String group,
      String code,
      long count,
      String reason,
      String since) {}

  /**
   * A carrier that is at fault itself.
   *
   * @param name of the carrier
   * @param fault the reason
   * @param since when it was first seen, in RFC 3339
   */
  public record CarrierAtFault(String name, String fault, String since) {}
}

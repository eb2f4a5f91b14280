package dev.reprise.server.document;

import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * A project.
 *
 * @param name of the project
 * @param carriers the names of the carriers that it may use; {@code *} for all
 * @param quotas its bounds; those that are not set are absent
 * @param usage how much of them is used
 * @param createdAt in RFC 3339; null for the default project, which is always there
 */
public record ProjectDocument(
    String name,
    List<String> carriers,
    @Nullable JsonNode quotas,
    @Nullable Usage usage,
    @Nullable String createdAt) {
  /** Replaces what is absent. */
  @SuppressWarnings("NullAway") // JSON may lack anything
  public ProjectDocument {
    carriers = carriers == null ? List.of() : carriers;
  }

  /**
   * The number of things that a project has.
   *
   * @param topics that there are
   * @param subscriptions that there are
   * @param publishesPerSecond as it was over the last second or seconds
   * @param pendingDeliveries as the ledger counts them
   */
  public record Usage(
      int topics, int subscriptions, double publishesPerSecond, long pendingDeliveries) {}
}

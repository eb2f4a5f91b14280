package dev.reprise.server.document;

import dev.reprise.server.schema.Described;
import dev.reprise.server.schema.Kind;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * A project.
 *
 * @param name of the project
 * @param quotas its bounds; those that are not set are absent
 */
@Described(name = "Project")
public record ProjectDocument(
    String name,
    @Described("The names of the carriers that it may use; * for all.") List<String> carriers,
    @Described(kind = Kind.QUOTAS) @Nullable JsonNode quotas,
    @Described("How much of its quotas is used.") @Nullable Usage usage,
    @Described(
            value = "RFC 3339; null for the project default, which is always there.",
            kind = Kind.TIME,
            orNull = true)
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
   */
  @Described(name = "ProjectUsage")
  public record Usage(
      int topics,
      int subscriptions,
      @Described("As it was over the last second or seconds.") double publishesPerSecond,
      @Described("As the ledger counts them.") long pendingDeliveries) {}
}

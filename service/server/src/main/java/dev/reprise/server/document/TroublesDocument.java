package dev.reprise.server.document;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.reprise.server.schema.Described;
import dev.reprise.server.schema.Kind;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The list of what an operator must act on.
 *
 * @param at when it was looked at
 */
@Described(name = "Troubles")
public record TroublesDocument(
    @Described(kind = Kind.TIME) String at,
    @Described("The gravest first; empty if there is nothing to act on.") List<Trouble> troubles) {
  /** One of them. */
  @Described(name = "Trouble")
  public record Trouble(
      @Described(
              "disk_low, store_failed, node_fault, shard_stands, clock_off, carrier_down,"
                  + " endpoint_held, subscription_failing, dead_letters_grow or key_expires; others"
                  + " may follow.")
          String kind,
      @Described(value = "When it began, as far as that is known.", kind = Kind.TIME)
          @JsonInclude(JsonInclude.Include.NON_NULL)
          @Nullable String since,
      @Described("Absent if it is about the service itself.")
          @JsonInclude(JsonInclude.Include.NON_NULL)
          @Nullable String project,
      @Described("The id of the subscription that it is about.")
          @JsonInclude(JsonInclude.Include.NON_NULL)
          @Nullable String subscription,
      @Described("The node of a cluster that it is about.")
          @JsonInclude(JsonInclude.Include.NON_NULL)
          @Nullable String node,
      @Described(
              "What else it is about: a carrier, a host, the number of a shard, the id of a key.")
          @JsonInclude(JsonInclude.Include.NON_NULL)
          @Nullable String about,
      @Described("What is wrong, in a sentence.") String text,
      @Described("What to do about it, with the names of settings and commands.") String action) {}
}

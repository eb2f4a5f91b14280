package dev.reprise.server.document;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.reprise.server.schema.Described;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Whether the process is alive or ready.
 *
 * @param status one word or two, such as {@code ready}
 */
@Described(name = "Health")
public record ProbeDocument(
    @Described(oneOf = "live, ready, failed, not ready") String status,
    @Described(value = "Why it is not so; null if it is.", orNull = true) @Nullable String reason,
    @Described(
            "Carriers at fault, since when and why; absent if none is. The service is"
                + " ready: only the deliveries that need them wait.")
        @JsonInclude(JsonInclude.Include.NON_EMPTY)
        Map<String, String> carriers,
    @Described(
            "What else waits because everything before it was refused alike, a line for"
                + " each code; absent for nothing. In a cluster, of this node's shards.")
        @JsonInclude(JsonInclude.Include.NON_EMPTY)
        List<String> held,
    @Described(
            "Shards of a cluster that take nothing although something waits, a line for"
                + " each; absent for none. This node is ready all the same. It names its own"
                + " shards; the first node of the group also those that no node owns.")
        @JsonInclude(JsonInclude.Include.NON_EMPTY)
        List<String> standing,
    @Described(
            value =
                "By how much this service's clock differs from the system's, for how long and what"
                    + " becomes of it; absent if by a second at the most. The service is ready.",
            orNull = true)
        @JsonInclude(JsonInclude.Include.NON_NULL)
        @Nullable String clock) {
  /** The process works. */
  public static final String LIVE = "live";

  /** The process works only after a restart. */
  public static final String FAILED = "failed";

  /** The service takes requests. */
  public static final String READY = "ready";

  /** The service takes none now. */
  public static final String NOT_READY = "not ready";
}

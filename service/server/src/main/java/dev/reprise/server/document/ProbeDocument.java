package dev.reprise.server.document;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Whether the process is alive or ready.
 *
 * @param status one word or two, such as {@code ready}
 * @param reason why it is not, or null
 * @param carriers those at fault, by name, since when and why; absent if none is. The deliveries
 *     that need them wait
 * @param held what else waits because everything before it was refused alike, a line for each code;
 *     absent for nothing
 * @param standing the shards of a cluster that take nothing although something waits, and which
 *     this node is to report, a line for each; absent for none
 */
public record ProbeDocument(
    String status,
    @Nullable String reason,
    @JsonInclude(JsonInclude.Include.NON_EMPTY) Map<String, String> carriers,
    @JsonInclude(JsonInclude.Include.NON_EMPTY) List<String> held,
    @JsonInclude(JsonInclude.Include.NON_EMPTY) List<String> standing) {}

package dev.reprise.server.document;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Tells whether the process is alive or ready.
 *
 * @param status one word or two, such as {@code ready}
 * @param reason why it is not, or null
 * @param carriers those at fault, by name, and since when; absent if none is. The deliveries that
 *     need them wait
 */
public record ProbeDocument(
    String status,
    @Nullable String reason,
    @JsonInclude(JsonInclude.Include.NON_EMPTY) Map<String, String> carriers) {}

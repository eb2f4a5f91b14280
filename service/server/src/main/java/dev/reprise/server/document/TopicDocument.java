package dev.reprise.server.document;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * A topic.
 *
 * @param name of the topic
 * @param policy as it is stored
 * @param subscriptions how many there are
 * @param createdAt in RFC 3339; absent for the reserved one, which is always there
 * @param reserved true if the service alone publishes to it; absent otherwise
 * @param warnings of a new policy that has no effect; absent if there are none
 */
public record TopicDocument(
    String name,
    @Nullable JsonNode policy,
    int subscriptions,
    @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable String createdAt,
    @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable Boolean reserved,
    @JsonInclude(JsonInclude.Include.NON_EMPTY) List<String> warnings) {}

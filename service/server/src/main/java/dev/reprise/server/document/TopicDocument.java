package dev.reprise.server.document;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.reprise.server.schema.Described;
import dev.reprise.server.schema.Kind;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * A topic.
 *
 * @param name of the topic
 * @param policy as it is stored
 * @param subscriptions how many there are
 */
@Described(name = "Topic")
public record TopicDocument(
    String name,
    @Described(kind = Kind.TOPIC_POLICY) @Nullable JsonNode policy,
    int subscriptions,
    @Described(value = "Absent for the reserved topic, which is always there.", kind = Kind.TIME)
        @JsonInclude(JsonInclude.Include.NON_NULL)
        @Nullable String createdAt,
    @Described(
            "Only for reprise:operator, on which the service itself publishes operator"
                + " events.")
        @JsonInclude(JsonInclude.Include.NON_NULL)
        @Nullable Boolean reserved,
    @Described(
            "What was accepted and has no effect. Only where something was changed, and"
                + " only if there is any.")
        @JsonInclude(JsonInclude.Include.NON_EMPTY)
        List<String> warnings) {}

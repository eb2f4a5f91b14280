package dev.reprise.server.document;

import dev.reprise.server.schema.Described;
import dev.reprise.server.schema.Kind;
import java.util.List;
import tools.jackson.databind.JsonNode;

/**
 * A kind of carrier.
 *
 * @param name of the kind, such as {@code smpp}
 * @param protocols whose endpoints it reaches
 */
public record CarrierTypeDocument(
    String name,
    List<String> protocols,
    @Described("The most attempts at the same time, unless the operator says otherwise.")
        int defaultInFlight,
    @Described(
            value = "The JSON Schema of its settings. A writeOnly one is a secret.",
            kind = Kind.OBJECT)
        JsonNode settings) {}

package dev.reprise.server.document;

import java.util.List;
import tools.jackson.databind.JsonNode;

/**
 * A kind of carrier.
 *
 * @param name of the kind, such as {@code smpp}
 * @param protocols whose endpoints it reaches
 * @param defaultInFlight the most attempts at the same time, unless the operator says otherwise
 * @param settings the JSON Schema of its settings
 */
public record CarrierTypeDocument(
    String name, List<String> protocols, int defaultInFlight, JsonNode settings) {}

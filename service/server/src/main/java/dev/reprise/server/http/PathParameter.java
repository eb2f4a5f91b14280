package dev.reprise.server.http;

import dev.reprise.server.schema.Schema;
import org.jspecify.annotations.Nullable;

/**
 * A variable part of a path, as OpenAPI describes it.
 *
 * @param name as in the pattern of the route
 * @param schema of its value
 * @param text a sentence on it
 * @param example a value; null for none
 */
public record PathParameter(String name, Schema schema, String text, @Nullable String example) {}

/**
 * The documents of the HTTP API, which the API writes and the command line reads. Their components
 * are the fields of the JSON, in its order, and {@code @Described} says what their types do not;
 * the schemas of {@code /openapi.json} follow from both.
 */
@NullMarked
package dev.reprise.server.document;

import org.jspecify.annotations.NullMarked;

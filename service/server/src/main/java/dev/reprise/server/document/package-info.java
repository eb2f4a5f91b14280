/**
 * The documents of the HTTP API, which the API writes and the command line reads. Their components
 * are the fields of the JSON, in its order; {@code openapi.json} describes them.
 */
@NullMarked
package dev.reprise.server.document;

import org.jspecify.annotations.NullMarked;

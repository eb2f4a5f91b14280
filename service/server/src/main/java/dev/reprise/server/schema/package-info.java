/** JSON Schemas as OpenAPI has them: of records, and put together field by field. */
@NullMarked
package dev.reprise.server.schema;

import org.jspecify.annotations.NullMarked;

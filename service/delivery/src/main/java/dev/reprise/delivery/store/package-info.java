/** The ordered store that shards and the catalog are kept in. */
@NullMarked
package dev.reprise.delivery.store;

import org.jspecify.annotations.NullMarked;

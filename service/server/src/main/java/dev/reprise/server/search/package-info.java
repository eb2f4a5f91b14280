/** Lists that are searched: by a text, and by whose the subscriptions are. */
@NullMarked
package dev.reprise.server.search;

import org.jspecify.annotations.NullMarked;

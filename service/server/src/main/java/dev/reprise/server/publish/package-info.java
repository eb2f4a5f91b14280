/** Messages as clients write them, alone or many in one request. */
@NullMarked
package dev.reprise.server.publish;

import org.jspecify.annotations.NullMarked;

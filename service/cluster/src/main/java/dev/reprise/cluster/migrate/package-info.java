/** Folders and topics that are put into a cluster: migration, and the restoration of a topic. */
@NullMarked
package dev.reprise.cluster.migrate;

import org.jspecify.annotations.NullMarked;

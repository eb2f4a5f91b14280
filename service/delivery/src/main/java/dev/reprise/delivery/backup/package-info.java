/** Backups: all files of a store at one moment as one archive, written, checked and read. */
@NullMarked
package dev.reprise.delivery.backup;

import org.jspecify.annotations.NullMarked;

/** Files and folders. */
@NullMarked
package dev.reprise.common.file;

import org.jspecify.annotations.NullMarked;

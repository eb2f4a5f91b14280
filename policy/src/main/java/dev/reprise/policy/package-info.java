/** Policy documents, the named presets and the preview of a schedule. */
@NullMarked
package dev.reprise.policy;

import org.jspecify.annotations.NullMarked;

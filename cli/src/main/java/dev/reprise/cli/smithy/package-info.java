/** The command {@code smithy}: retry code generated from a Smithy model. */
@NullMarked
package dev.reprise.cli.smithy;

import org.jspecify.annotations.NullMarked;

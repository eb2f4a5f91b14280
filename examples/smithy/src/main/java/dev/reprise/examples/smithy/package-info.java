/** A client of a service that a Smithy model describes; its exceptions are generated. */
@NullMarked
package dev.reprise.examples.smithy;

import org.jspecify.annotations.NullMarked;

/**
 * Breaks long lines of Java as google-java-format does, for the forms that the generators write.
 * Its library cannot do it: it needs flags of the virtual machine that the builds of users do not
 * set. The tests compare with it.
 */
@NullMarked
package dev.reprise.smithy.layout;

import org.jspecify.annotations.NullMarked;

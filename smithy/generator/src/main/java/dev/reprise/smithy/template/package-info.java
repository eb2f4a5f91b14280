/**
 * What every generated package contains, whatever its model: compiled and tested here, and copied
 * by {@link dev.reprise.smithy.generate} with the package's name changed. Needs nothing but core.
 */
@NullMarked
package dev.reprise.smithy.template;

import org.jspecify.annotations.NullMarked;

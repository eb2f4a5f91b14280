/**
 * The base class of the exceptions that the build plugin {@code java-retry-errors} generates, and
 * the reading of the responses that they are made of. Programs catch {@link
 * dev.reprise.smithy.runtime.HttpError} and {@link dev.reprise.smithy.runtime.UnmodeledHttpError};
 * the rest is called by generated code.
 */
@NullMarked
package dev.reprise.smithy.runtime;

import org.jspecify.annotations.NullMarked;

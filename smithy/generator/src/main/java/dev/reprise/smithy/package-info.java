/**
 * Reads the errors of Smithy models and writes them as Java exceptions that know whether they may
 * be retried. {@link dev.reprise.smithy.RetryErrors} does it for a model in memory, {@link
 * dev.reprise.smithy.RetryErrorsPlugin} for Smithy's build.
 */
@NullMarked
package dev.reprise.smithy;

import org.jspecify.annotations.NullMarked;

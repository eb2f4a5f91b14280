/**
 * Decides which failures are worth a retry: small rules, folded in order to one verdict.
 *
 * <p>{@link dev.reprise.core.classify.Classifier#defaults()} knows the exceptions of the JDK, and
 * the facts that failures carry through {@link dev.reprise.core.RetryInfo} and {@link
 * dev.reprise.core.ErrorInfo}. Rules of your own come after it, each a {@link
 * dev.reprise.core.classify.FailureRule}.
 */
@NullMarked
package dev.reprise.core.classify;

import org.jspecify.annotations.NullMarked;

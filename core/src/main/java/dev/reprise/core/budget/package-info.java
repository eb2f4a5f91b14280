/** Retry budgets: what keeps retries to a share of the traffic when everything fails at once. */
@NullMarked
package dev.reprise.core.budget;

import org.jspecify.annotations.NullMarked;

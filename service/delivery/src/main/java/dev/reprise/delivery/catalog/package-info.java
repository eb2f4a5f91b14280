/** Topics and subscriptions: what they are, how they are checked, and where they are kept. */
@NullMarked
package dev.reprise.delivery.catalog;

import org.jspecify.annotations.NullMarked;

/** Tasks of many threads, one after the other. */
@NullMarked
package dev.reprise.common.order;

import org.jspecify.annotations.NullMarked;

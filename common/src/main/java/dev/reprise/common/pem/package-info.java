/** Keys as files have them. */
@NullMarked
package dev.reprise.common.pem;

import org.jspecify.annotations.NullMarked;

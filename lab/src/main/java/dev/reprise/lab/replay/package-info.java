/** What another policy would have done with failures that really happened. */
@NullMarked
package dev.reprise.lab.replay;

import org.jspecify.annotations.NullMarked;

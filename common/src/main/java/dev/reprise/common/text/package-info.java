/** Text for people: foreign text made harmless, amounts and spans of time in words, bars. */
@NullMarked
package dev.reprise.common.text;

import org.jspecify.annotations.NullMarked;

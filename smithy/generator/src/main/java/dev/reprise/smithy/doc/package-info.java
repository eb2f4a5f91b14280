/** Turns the documentation of models, CommonMark with HTML in it, into Javadoc. */
@NullMarked
package dev.reprise.smithy.doc;

import org.jspecify.annotations.NullMarked;

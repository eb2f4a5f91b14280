/**
 * Attempts: the body, the signature and the credentials that each protocol wants, sent over HTTP,
 * through carriers or to functions.
 */
@NullMarked
package dev.reprise.delivery.attempt;

import org.jspecify.annotations.NullMarked;

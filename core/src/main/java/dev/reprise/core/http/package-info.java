/**
 * HTTP failures as retry facts: status codes, connection errors, timeouts and {@code Retry-After}.
 */
@NullMarked
package dev.reprise.core.http;

import org.jspecify.annotations.NullMarked;

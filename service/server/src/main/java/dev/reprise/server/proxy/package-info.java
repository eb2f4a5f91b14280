/**
 * Proxies before the service: its public URL, those that are trusted, and where a request comes
 * from.
 */
@NullMarked
package dev.reprise.server.proxy;

import org.jspecify.annotations.NullMarked;

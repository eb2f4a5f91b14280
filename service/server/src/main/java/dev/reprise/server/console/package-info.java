/** The files of the console, which is a page in the browser that calls the API. */
@NullMarked
package dev.reprise.server.console;

import org.jspecify.annotations.NullMarked;

/** Access control: API keys, sessions of browsers, projects, and the log of changes. */
@NullMarked
package dev.reprise.server.access;

import org.jspecify.annotations.NullMarked;

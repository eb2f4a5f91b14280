/**
 * Requests and answers: routes with what each states of itself, callers and their projects,
 * parsing, limits, and the errors of the API.
 */
@NullMarked
package dev.reprise.server.http;

import org.jspecify.annotations.NullMarked;

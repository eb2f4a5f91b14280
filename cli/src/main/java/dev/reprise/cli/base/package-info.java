/**
 * The ground of all commands: exit codes and failures, the options that every command has, files
 * and JSON as arguments, and the client of a service's HTTP API.
 */
@NullMarked
package dev.reprise.cli.base;

import org.jspecify.annotations.NullMarked;

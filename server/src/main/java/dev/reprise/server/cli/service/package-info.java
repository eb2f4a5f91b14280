/**
 * Commands that run a service or ask one: {@code serve}, {@code demo}, {@code topic}, {@code
 * publish} and their like.
 */
@NullMarked
package dev.reprise.server.cli.service;

import org.jspecify.annotations.NullMarked;

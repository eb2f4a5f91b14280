/** Commands that ask a running service: {@code topic}, {@code publish} and their like. */
@NullMarked
package dev.reprise.cli.service;

import org.jspecify.annotations.NullMarked;

/**
 * Commands about policies that need no service: {@code preview}, {@code presets} and {@code
 * schema}.
 */
@NullMarked
package dev.reprise.cli.policy;

import org.jspecify.annotations.NullMarked;

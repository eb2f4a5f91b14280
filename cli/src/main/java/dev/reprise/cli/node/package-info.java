/**
 * Commands on the machine of a service: {@code serve}, and those that work on a folder or a cluster
 * while no service does.
 */
@NullMarked
package dev.reprise.cli.node;

import org.jspecify.annotations.NullMarked;

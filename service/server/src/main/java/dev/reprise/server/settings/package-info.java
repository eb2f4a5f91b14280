/**
 * The settings of the service: each is described once, in {@link
 * dev.reprise.server.settings.Settings}. Options of {@code serve}, variables, keys of a file, help,
 * the reference table and the checks follow from that.
 */
@NullMarked
package dev.reprise.server.settings;

import org.jspecify.annotations.NullMarked;

/** Profiles: how the hubs of certain makers want to be spoken to. */
@NullMarked
package dev.reprise.device.hub;

import org.jspecify.annotations.NullMarked;

/**
 * Settings in git: {@code apply} reads topics, subscriptions, carriers, projects and policies from
 * files and changes what differs at the service; {@code export} writes such files.
 */
@NullMarked
package dev.reprise.cli.apply;

import org.jspecify.annotations.NullMarked;

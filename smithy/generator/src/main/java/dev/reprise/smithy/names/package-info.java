/** Names of Java for what a model names: types and members, without collisions. */
@NullMarked
package dev.reprise.smithy.names;

import org.jspecify.annotations.NullMarked;

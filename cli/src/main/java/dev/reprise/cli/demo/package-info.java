/** The demo: a service, or a cluster, with endpoints that misbehave, shown step by step. */
@NullMarked
package dev.reprise.cli.demo;

import org.jspecify.annotations.NullMarked;

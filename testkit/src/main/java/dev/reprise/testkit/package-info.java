/** Virtual clock, scheduler and random source, and scripted failures for tests. */
@NullMarked
package dev.reprise.testkit;

import org.jspecify.annotations.NullMarked;

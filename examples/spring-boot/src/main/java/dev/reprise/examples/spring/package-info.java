/** A Spring Boot application that retries by configuration. */
@NullMarked
package dev.reprise.examples.spring;

import org.jspecify.annotations.NullMarked;

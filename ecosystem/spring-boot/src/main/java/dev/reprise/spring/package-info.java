/**
 * Retries by configuration for Spring Boot: named {@link dev.reprise.core.retry.Retry} beans,
 * {@link dev.reprise.spring.RetryWith}, adapters for the retry interfaces of Spring Framework 7, an
 * actuator endpoint and meters.
 */
@NullMarked
package dev.reprise.spring;

import org.jspecify.annotations.NullMarked;

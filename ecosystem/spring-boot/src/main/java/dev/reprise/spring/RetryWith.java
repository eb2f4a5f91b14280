package dev.reprise.spring;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Runs a method, or all public methods of a class, with a retry of the properties.
 *
 * <pre>{@code
 * @RetryWith("payment-api")
 * Receipt charge(Order order) { … }
 * }</pre>
 *
 * <p>A method that returns a {@code CompletionStage} is run asynchronously: no thread waits between
 * attempts. One that returns a type of Reactive Streams is refused when the application starts, and
 * so is one that no proxy can be around: a private or static one, and, unless the bean is proxied
 * by its interfaces, a final one.
 *
 * <p>As with Spring's own {@code @Retryable}: only calls from outside the bean are retried, and the
 * retry is around a {@code @Transactional} of the same method, so that each attempt has a
 * transaction of its own. Unlike it, the budget is shared by all callers, hints of the other side
 * are kept, and only failures that are known to be worth it are tried again.
 */
@Documented
@Inherited
@Target({ElementType.METHOD, ElementType.TYPE})
@Retention(RetentionPolicy.RUNTIME)
public @interface RetryWith {
  /** Returns the name in the properties, the middle part of {@code reprise.retry.NAME.policy}. */
  String value();
}

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
 * attempts. The same holds for a Kotlin {@code suspend fun}, where {@code
 * kotlinx-coroutines-reactor} and {@code kotlin-reflect} are on the class path: each attempt has
 * the caller's coroutine context and what is in its Reactor context, and ends when the caller is
 * cancelled.
 *
 * <p>A method whose result is not there yet when it returns (a {@code Future}, a {@code Stream}, a
 * {@code Callable}, a type of Reactive Streams, of Kotlin's flows, of Spring MVC's asynchronous
 * requests) is refused when the application starts, for each of these would be taken for a success.
 * Where the declared type does not tell, such as {@code Object}, the result is judged when it is
 * returned, and an {@code IllegalStateException} thrown. Refused is also a method that no proxy can
 * be around: a private or static one; a final one, unless the bean is proxied by its interfaces;
 * and one of no interface, if the bean is. Of an annotated class, helpers are left alone: what is
 * private, static, made by the compiler, or not called through the proxy of the interfaces, and the
 * methods of {@code Object}.
 *
 * <p>As with Spring's own {@code @Retryable}: only calls from outside the bean are retried, not
 * those of {@code this}, and the retry is around all other advice of the same method. So each
 * attempt of a {@code @Transactional} method has a transaction of its own, and of an {@code @Async}
 * one it is the outcome on the other thread that is retried. With an attempt timeout or hedging,
 * attempts run on other threads than the caller's: they are outside of a transaction that the
 * caller has (a warning says so once), and have of its thread-locals what beans of type {@code
 * ContextCapture} carry. Unlike it, the budget is shared by all callers, hints of the other side
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

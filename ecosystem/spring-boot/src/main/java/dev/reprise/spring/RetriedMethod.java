package dev.reprise.spring;

import java.lang.reflect.Method;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.BaseStream;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.AopUtils;
import org.springframework.core.KotlinDetector;
import org.springframework.core.MethodParameter;
import org.springframework.core.ResolvableType;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.scheduling.annotation.Async;
import org.springframework.util.ClassUtils;

/**
 * A method of a bean that is to be retried, and what has to be known of it to do so.
 *
 * @param method the bean's own, not that of an interface, nor a bridge to it
 * @param beanClass the class of the bean, which may have inherited the method
 * @param name of the retry
 * @param kind how its result comes
 * @param result the type of its result, with type variables as far as the class of the bean tells
 *     them; of a stage or a suspending function, what it completes with
 */
record RetriedMethod(Method method, Class<?> beanClass, String name, Kind kind, Class<?> result) {
  /** The way in which the result of a method comes. */
  enum Kind {
    /** The method returns it. */
    BLOCKING,
    /** The stage that it returns completes with it. */
    STAGE,
    /** The continuation of a Kotlin {@code suspend fun} gets it. */
    SUSPENDING
  }

  private static final boolean HAS_COROUTINES =
      ClassUtils.isPresent("kotlinx.coroutines.reactor.MonoKt", AopUtils.class.getClassLoader());

  /**
   * Returns the method as it is to be retried.
   *
   * @param method the bean's own, as of {@link AopUtils#getMostSpecificMethod}
   */
  static RetriedMethod of(Method method, Class<?> beanClass, String name) {
    if (KotlinDetector.isSuspendingFunction(method)) {
      return new RetriedMethod(
          method, beanClass, name, Kind.SUSPENDING, resultOfSuspendFun(method, beanClass));
    }
    ResolvableType returned = ResolvableType.forMethodReturnType(method, beanClass);
    return isStage(returned.toClass())
        ? new RetriedMethod(method, beanClass, name, Kind.STAGE, returned.getGeneric(0).toClass())
        : new RetriedMethod(method, beanClass, name, Kind.BLOCKING, returned.toClass());
  }

  /** Returns whether a {@code CompletableFuture} can be returned as this type. */
  private static boolean isStage(Class<?> type) {
    return CompletionStage.class.isAssignableFrom(type)
        && type.isAssignableFrom(CompletableFuture.class);
  }

  /** The result of a {@code suspend fun} is what its last parameter, a continuation, takes. */
  private static Class<?> resultOfSuspendFun(Method method, Class<?> beanClass) {
    MethodParameter last = new MethodParameter(method, method.getParameterCount() - 1);
    return ResolvableType.forMethodParameter(last.withContainingClass(beanClass))
        .getGeneric(0)
        .toClass();
  }

  /**
   * Returns why the retry cannot be around the method, or null when it can.
   *
   * @param isAsyncEnabled whether methods with Spring's {@code @Async} run on another thread
   */
  @Nullable String refusal(boolean isAsyncEnabled) {
    return refusal(isAsyncEnabled, HAS_COROUTINES, KotlinDetector.isKotlinReflectPresent());
  }

  @Nullable String refusal(
      boolean isAsyncEnabled, boolean hasCoroutines, boolean hasKotlinReflection) {
    DeferredType deferred = DeferredType.ofDeclared(result);
    if (deferred == DeferredType.STAGE && kind == Kind.BLOCKING) {
      return "must return CompletionStage or CompletableFuture, not " + typeName();
    }
    if (deferred != null) {
      return switch (kind) {
            case BLOCKING -> "must not return ";
            case STAGE -> "must not return a stage of ";
            case SUSPENDING -> "is a suspend fun and must not return ";
          }
          + typeName()
          + ", "
          + deferred.reason(kind == Kind.SUSPENDING)
          + (isOfClass() ? "; or annotate the other methods instead of the class" : "");
    }
    if (kind == Kind.SUSPENDING && !(hasCoroutines && hasKotlinReflection)) {
      return "is a suspend fun, which Spring can proxy only with "
          + (hasCoroutines
              ? "org.jetbrains.kotlin:kotlin-reflect"
              : "org.jetbrains.kotlinx:kotlinx-coroutines-reactor")
          + " on the class path; without it, its failures come after the method has returned; add"
          + " this dependency";
    }
    if (kind == Kind.BLOCKING && isAsyncEnabled && isAsync()) {
      return "is @Async and returns "
          + typeName()
          + ": it fails on another thread after the method has returned; return a"
          + " CompletableFuture";
    }
    return null;
  }

  private boolean isOfClass() {
    return !AnnotatedElementUtils.hasAnnotation(method, RetryWith.class);
  }

  private boolean isAsync() {
    return AnnotatedElementUtils.hasAnnotation(method, Async.class)
        || AnnotatedElementUtils.hasAnnotation(beanClass, Async.class);
  }

  /** Returns the type as an error names it: in full where the method does not show it. */
  private String typeName() {
    return result == method.getReturnType() ? result.getSimpleName() : result.getTypeName();
  }

  /**
   * Returns what the method has returned, whose declared type may have been too wide to judge.
   *
   * @throws IllegalStateException if its work is not done
   */
  <T extends @Nullable Object> T requireDone(T value) {
    DeferredType deferred = value == null ? null : DeferredType.ofReturned(value, result);
    if (value == null || deferred == null) {
      return value;
    }
    IllegalStateException failure =
        new IllegalStateException(
            this
                + ": has returned a "
                + value.getClass().getTypeName()
                + ", "
                + deferred.reason(kind == Kind.SUSPENDING));
    if (value instanceof BaseStream<?, ?> stream) {
      // It may hold a connection, which nobody else can give back.
      try {
        stream.close();
      } catch (RuntimeException e) {
        failure.addSuppressed(e);
      }
    }
    throw failure;
  }

  /** Returns the method as errors name it: with the class of the bean where it is inherited. */
  @Override
  public String toString() {
    return "@RetryWith of "
        + method
        + (method.getDeclaringClass() == beanClass ? "" : " of bean class " + beanClass.getName());
  }
}

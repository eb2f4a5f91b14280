package dev.reprise.spring;

import dev.reprise.core.retry.CheckedSupplier;
import dev.reprise.core.retry.Retry;
import java.lang.reflect.Method;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.ProxyMethodInvocation;
import org.springframework.beans.factory.ObjectProvider;

/** Runs a method with the retry that its {@link RetryWith} names. */
final class RetryWithInterceptor implements MethodInterceptor {
  private final ObjectProvider<RetryRegistry> registry;

  RetryWithInterceptor(ObjectProvider<RetryRegistry> registry) {
    this.registry = registry;
  }

  @Override
  @SuppressWarnings("NullAway") // it does not see that null is a result like any other here
  public @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
    Method method = invocation.getMethod();
    Object target = invocation.getThis();
    Class<?> targetClass = target == null ? method.getDeclaringClass() : target.getClass();
    String name = RetryWithPointcut.nameFor(method, targetClass);
    if (name == null) {
      return invocation.proceed();
    }
    Retry retry = registry.getObject().get(name);
    if (isStage(method.getReturnType())) {
      CheckedSupplier<CompletionStage<@Nullable Object>, Exception> started =
          () -> stage(proceed(invocation));
      return retry.callAsync(started);
    }
    CheckedSupplier<@Nullable Object, Exception> attempt = () -> proceed(invocation);
    return retry.call(attempt);
  }

  /** Returns whether what {@link Retry#callAsync} returns can be returned as this type. */
  static boolean isStage(Class<?> type) {
    return CompletionStage.class.isAssignableFrom(type)
        && type.isAssignableFrom(CompletableFuture.class);
  }

  // The method is declared to return a stage; null is the caller's to complain about.
  @SuppressWarnings({"unchecked", "NullAway"})
  private static CompletionStage<@Nullable Object> stage(@Nullable Object returned) {
    return (CompletionStage<@Nullable Object>) returned;
  }

  /** Makes one attempt; an invocation can be used only once. */
  @SuppressWarnings("NullAway") // as above
  private static @Nullable Object proceed(MethodInvocation invocation) throws Exception {
    MethodInvocation attempt =
        invocation instanceof ProxyMethodInvocation proxied ? proxied.invocableClone() : invocation;
    return Undeclared.carry(attempt::proceed);
  }
}

package dev.reprise.spring;

import dev.reprise.core.retry.CheckedSupplier;
import dev.reprise.core.retry.Retry;
import java.lang.reflect.Method;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.ProxyMethodInvocation;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.core.MethodClassKey;

/** Runs a method with the retry that its {@link RetryWith} names. */
final class RetryWithInterceptor implements MethodInterceptor {
  private final ObjectProvider<RetryRegistry> registry;
  private final Map<MethodClassKey, Optional<RetriedMethod>> methods = new ConcurrentHashMap<>();
  private final CallersTransaction transaction = new CallersTransaction();

  RetryWithInterceptor(ObjectProvider<RetryRegistry> registry) {
    this.registry = registry;
  }

  @Override
  @SuppressWarnings("NullAway") // it does not see that null is a result like any other here
  public @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
    RetriedMethod method = find(invocation);
    if (method == null) {
      return invocation.proceed();
    }
    Retry retry = registry.getObject().get(method.name());
    return switch (method.kind()) {
      case STAGE -> {
        CheckedSupplier<CompletionStage<@Nullable Object>, Exception> started =
            () -> stage(proceed(invocation));
        yield retry.callAsync(started);
      }
      case SUSPENDING -> SuspendingCall.of(method, retry, () -> proceed(invocation));
      case BLOCKING -> {
        if (!retry.isOnCallingThread()) {
          transaction.warnIfLeftBy(method);
        }
        CheckedSupplier<@Nullable Object, Exception> attempt = () -> proceed(invocation);
        yield method.requireDone(retry.call(attempt));
      }
    };
  }

  private @Nullable RetriedMethod find(MethodInvocation invocation) {
    Method method = invocation.getMethod();
    Object target = invocation.getThis();
    Class<?> targetClass =
        target == null ? method.getDeclaringClass() : AopUtils.getTargetClass(target);
    return methods
        .computeIfAbsent(
            new MethodClassKey(method, targetClass),
            key -> Optional.ofNullable(RetryWithPointcut.find(method, targetClass)))
        .orElse(null);
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

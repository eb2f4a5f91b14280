package dev.reprise.spring;

import java.lang.reflect.Method;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import org.springframework.aop.framework.autoproxy.AbstractBeanFactoryAwareAdvisingPostProcessor;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.core.ReactiveAdapterRegistry;

/**
 * Puts a {@link RetryWithInterceptor} around beans with methods that are to be retried, outside of
 * all other advice, and checks that what they ask for exists.
 */
final class RetryWithPostProcessor extends AbstractBeanFactoryAwareAdvisingPostProcessor
    implements SmartInitializingSingleton {
  private static final long serialVersionUID = 1;

  private final transient RetryWithPointcut pointcut = new RetryWithPointcut(this::check);
  private final transient ObjectProvider<RetryRegistry> registry;

  RetryWithPostProcessor(ObjectProvider<RetryRegistry> registry) {
    this.registry = registry;
    setBeforeExistingAdvisors(true);
    this.advisor = new DefaultPointcutAdvisor(pointcut, new RetryWithInterceptor(registry));
  }

  @Override
  public void afterSingletonsInstantiated() {
    pointcut.start();
  }

  private void check(RetryWithPointcut.Found found) {
    Method method = found.method();
    try {
      registry.getObject().get(found.name());
    } catch (IllegalArgumentException e) {
      throw new IllegalStateException("@RetryWith of " + method + ": " + e.getMessage(), e);
    }
    Class<?> type = method.getReturnType();
    if (CompletionStage.class.isAssignableFrom(type) && !RetryWithInterceptor.isStage(type)) {
      throw new IllegalStateException(
          "@RetryWith of "
              + method
              + ": must return CompletionStage or CompletableFuture, not "
              + type.getSimpleName());
    }
    if (isReactive(type)) {
      throw new IllegalStateException(
          "@RetryWith of "
              + method
              + ": must not return "
              + type.getSimpleName()
              + ", whose failures come after the method has returned; apply RetryOperator of"
              + " reprise-reactor to what it returns");
    }
  }

  private static boolean isReactive(Class<?> type) {
    return Flow.Publisher.class.isAssignableFrom(type)
        || (!CompletionStage.class.isAssignableFrom(type)
            && ReactiveAdapterRegistry.getSharedInstance().getAdapter(type) != null);
  }
}

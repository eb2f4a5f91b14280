package dev.reprise.spring;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import org.springframework.aop.framework.autoproxy.AbstractBeanFactoryAwareAdvisingPostProcessor;
import org.springframework.aop.support.AopUtils;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.core.ReactiveAdapterRegistry;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.annotation.AnnotationUtils;

/**
 * Puts a {@link RetryWithInterceptor} around beans with methods that are to be retried, outside of
 * all other advice, and checks that their settings exist.
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
  public Object postProcessAfterInitialization(Object bean, String beanName) {
    Class<?> beanClass = AopUtils.getTargetClass(bean);
    Object proxied = super.postProcessAfterInitialization(bean, beanName);
    if (AnnotationUtils.isCandidateClass(beanClass, RetryWith.class)) {
      requireWithinReach(beanClass, AopUtils.isJdkDynamicProxy(proxied));
    }
    return proxied;
  }

  /** Refuses methods that no proxy can be around: they would be called without a retry. */
  private static void requireWithinReach(Class<?> beanClass, boolean ofInterfaces) {
    boolean all = AnnotatedElementUtils.hasAnnotation(beanClass, RetryWith.class);
    Class<?> type = beanClass;
    while (type != null && type != Object.class) {
      for (Method method : type.getDeclaredMethods()) {
        if (!method.isSynthetic()
            && (AnnotatedElementUtils.hasAnnotation(method, RetryWith.class)
                || (all && isPublicOfObject(method)))) {
          requireWithinReach(method, ofInterfaces);
        }
      }
      type = type.getSuperclass();
    }
  }

  private static boolean isPublicOfObject(Method method) {
    return Modifier.isPublic(method.getModifiers()) && !Modifier.isStatic(method.getModifiers());
  }

  private static void requireWithinReach(Method method, boolean ofInterfaces) {
    int modifiers = method.getModifiers();
    String modifier =
        Modifier.isPrivate(modifiers)
            ? "private"
            : Modifier.isStatic(modifiers)
                ? "static"
                : Modifier.isFinal(modifiers) && !ofInterfaces ? "final" : null;
    if (modifier != null) {
      throw new IllegalStateException(
          "@RetryWith of "
              + method
              + ": must not be "
              + modifier
              + ", for then no proxy is around it and it would be called without a retry");
    }
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

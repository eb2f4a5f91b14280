package dev.reprise.spring;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.AopUtils;
import org.springframework.aop.support.StaticMethodMatcherPointcut;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.util.ReflectionUtils;

/** Finds the methods that are to be retried. */
final class RetryWithPointcut extends StaticMethodMatcherPointcut {
  @Override
  public boolean matches(Method method, Class<?> targetClass) {
    return find(method, targetClass) != null;
  }

  /**
   * Returns the method as it is to be retried, or null when it is not.
   *
   * @param method of the class or of an interface, as a proxy is called with it
   */
  static @Nullable RetriedMethod find(Method method, Class<?> targetClass) {
    // A proxy of interfaces is called with their methods; the annotation is on the bean's own.
    Method own = AopUtils.getMostSpecificMethod(method, targetClass);
    if (!isWithinReach(own)) {
      return null;
    }
    RetryWith annotation = AnnotatedElementUtils.findMergedAnnotation(own, RetryWith.class);
    if (annotation == null && !ReflectionUtils.isObjectMethod(own)) {
      annotation = AnnotatedElementUtils.findMergedAnnotation(targetClass, RetryWith.class);
    }
    return annotation == null ? null : RetriedMethod.of(own, targetClass, annotation.value());
  }

  /** Leaves out helpers and lambdas, which no proxy is called with. */
  private static boolean isWithinReach(Method method) {
    return method.getDeclaringClass() != Object.class
        && !Modifier.isPrivate(method.getModifiers())
        && !Modifier.isStatic(method.getModifiers())
        && (!method.isSynthetic() || method.isBridge());
  }
}

package dev.reprise.spring;

import java.lang.reflect.Method;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.AopUtils;
import org.springframework.aop.support.StaticMethodMatcherPointcut;
import org.springframework.core.annotation.AnnotatedElementUtils;

/**
 * Finds the methods that are to be retried. Their settings are checked once for each: those found
 * while the application starts when it has started, for only then may the registry be asked; those
 * of later beans, which are lazy or prototypes, when they are found.
 */
final class RetryWithPointcut extends StaticMethodMatcherPointcut {
  /** A method of a bean, and the retry that it asks for. */
  record Found(Method method, Class<?> targetClass, String name) {}

  /** Throws when the settings of a method cannot be met. */
  @FunctionalInterface
  interface Check {
    void check(Found found);
  }

  private final Set<Found> checked = ConcurrentHashMap.newKeySet();
  private final Set<Found> unchecked = ConcurrentHashMap.newKeySet();
  private final Check check;
  private volatile boolean started;

  RetryWithPointcut(Check check) {
    this.check = check;
  }

  @Override
  public boolean matches(Method method, Class<?> targetClass) {
    String name = nameFor(method, targetClass);
    if (name == null) {
      return false;
    }
    Found found = new Found(AopUtils.getMostSpecificMethod(method, targetClass), targetClass, name);
    if (started) {
      checkOnce(found);
    } else {
      unchecked.add(found);
    }
    return true;
  }

  /** Checks the methods found so far, and from now on each that is found. */
  void start() {
    started = true;
    unchecked.forEach(this::checkOnce);
    unchecked.clear();
  }

  private void checkOnce(Found found) {
    if (!checked.contains(found)) {
      check.check(found);
      checked.add(found);
    }
  }

  /** Returns the name of the retry for a method, or null when it is not to be retried. */
  static @Nullable String nameFor(Method method, Class<?> targetClass) {
    if (method.getDeclaringClass() == Object.class) {
      return null;
    }
    // A proxy of interfaces is called with their methods; the annotation is on the bean's own.
    Method own = AopUtils.getMostSpecificMethod(method, targetClass);
    RetryWith annotation = AnnotatedElementUtils.findMergedAnnotation(own, RetryWith.class);
    if (annotation == null) {
      annotation = AnnotatedElementUtils.findMergedAnnotation(targetClass, RetryWith.class);
    }
    return annotation == null ? null : annotation.value();
  }
}

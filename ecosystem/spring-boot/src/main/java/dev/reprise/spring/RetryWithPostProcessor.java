package dev.reprise.spring;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.framework.autoproxy.AbstractBeanFactoryAwareAdvisingPostProcessor;
import org.springframework.aop.support.AopUtils;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.scheduling.config.TaskManagementConfigUtils;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/**
 * Puts a {@link RetryWithInterceptor} around beans with methods that are to be retried, outside of
 * all other advice, and checks each of these methods and that its settings exist: those of beans
 * that are made while the application starts when it has started, for only then may the registry be
 * asked; those of later beans, which are lazy or prototypes, when they are made.
 */
final class RetryWithPostProcessor extends AbstractBeanFactoryAwareAdvisingPostProcessor
    implements SmartInitializingSingleton {
  private static final long serialVersionUID = 1;

  /** A class of beans, and whether they are proxied by their interfaces. */
  private record Proxied(Class<?> beanClass, boolean ofInterfaces) {}

  private final transient ObjectProvider<RetryRegistry> registry;
  private final transient Set<Proxied> checked = ConcurrentHashMap.newKeySet();
  private final transient Set<Proxied> unchecked = ConcurrentHashMap.newKeySet();
  private transient @Nullable BeanFactory beans;
  private volatile boolean started;

  RetryWithPostProcessor(ObjectProvider<RetryRegistry> registry) {
    this.registry = registry;
    setBeforeExistingAdvisors(true);
    this.advisor =
        new DefaultPointcutAdvisor(new RetryWithPointcut(), new RetryWithInterceptor(registry));
  }

  @Override
  public void setBeanFactory(BeanFactory beanFactory) {
    super.setBeanFactory(beanFactory);
    this.beans = beanFactory;
  }

  @Override
  public Object postProcessAfterInitialization(Object bean, String beanName) {
    Class<?> beanClass = AopUtils.getTargetClass(bean);
    Object proxy = super.postProcessAfterInitialization(bean, beanName);
    if (AnnotationUtils.isCandidateClass(beanClass, RetryWith.class)) {
      Proxied proxied = new Proxied(beanClass, AopUtils.isJdkDynamicProxy(proxy));
      if (!checked.contains(proxied)) {
        requireWithinReach(proxied);
        if (!isEligible(beanClass)) {
          return proxy;
        }
        if (started) {
          check(proxied);
        } else {
          unchecked.add(proxied);
        }
      }
    }
    return proxy;
  }

  @Override
  public void afterSingletonsInstantiated() {
    started = true;
    unchecked.forEach(this::check);
    unchecked.clear();
  }

  /** Refuses methods that no proxy can be around: they would be called without a retry. */
  private static void requireWithinReach(Proxied proxied) {
    boolean all = AnnotatedElementUtils.hasAnnotation(proxied.beanClass(), RetryWith.class);
    Class<?> type = proxied.beanClass();
    while (type != null && type != Object.class) {
      for (Method method : type.getDeclaredMethods()) {
        if (!method.isSynthetic()
            && (AnnotatedElementUtils.hasAnnotation(method, RetryWith.class)
                || (all && isPublicOfObject(method)))) {
          requireWithinReach(method, proxied);
        }
      }
      type = type.getSuperclass();
    }
  }

  private static boolean isPublicOfObject(Method method) {
    return Modifier.isPublic(method.getModifiers())
        && !Modifier.isStatic(method.getModifiers())
        && !ReflectionUtils.isObjectMethod(method);
  }

  private static void requireWithinReach(Method method, Proxied proxied) {
    int modifiers = method.getModifiers();
    String modifier =
        Modifier.isPrivate(modifiers)
            ? "private"
            : Modifier.isStatic(modifiers)
                ? "static"
                : Modifier.isFinal(modifiers) && !proxied.ofInterfaces() ? "final" : null;
    if (modifier != null) {
      throw outOfReach(method, "must not be " + modifier + ", for then no proxy is around it");
    }
    if (proxied.ofInterfaces()
        && AnnotatedElementUtils.hasAnnotation(method, RetryWith.class)
        && !isOfInterface(method, proxied.beanClass())) {
      throw outOfReach(
          method,
          "must be a method of an interface, or the bean be proxied by its class, for no proxy is"
              + " around it");
    }
  }

  private static IllegalStateException outOfReach(Method method, String rule) {
    return new IllegalStateException(
        "@RetryWith of " + method + ": " + rule + " and it would be called without a retry");
  }

  /** Not by the types of parameters, which differ where the interface or a class is generic. */
  private static boolean isOfInterface(Method method, Class<?> beanClass) {
    return ClassUtils.getAllInterfacesForClassAsSet(beanClass).stream()
        .flatMap(type -> Stream.of(type.getMethods()))
        .anyMatch(
            other ->
                other.getName().equals(method.getName())
                    && other.getParameterCount() == method.getParameterCount());
  }

  private void check(Proxied proxied) {
    for (Method method : methods(proxied)) {
      RetriedMethod retried = RetryWithPointcut.find(method, proxied.beanClass());
      if (retried != null) {
        check(retried);
      }
    }
    checked.add(proxied);
  }

  /** Returns the methods that the proxy is called with: of a class, those of its interfaces too. */
  private static Set<Method> methods(Proxied proxied) {
    Set<Class<?>> types =
        new LinkedHashSet<>(ClassUtils.getAllInterfacesForClassAsSet(proxied.beanClass()));
    if (!proxied.ofInterfaces()) {
      types.add(proxied.beanClass());
    }
    Set<Method> methods = new LinkedHashSet<>();
    for (Class<?> type : types) {
      methods.addAll(List.of(ReflectionUtils.getAllDeclaredMethods(type)));
    }
    return methods;
  }

  private void check(RetriedMethod retried) {
    try {
      registry.getObject().get(retried.name());
    } catch (IllegalArgumentException e) {
      throw new IllegalStateException(retried + ": " + e.getMessage(), e);
    }
    String refusal = retried.refusal(isAsyncEnabled());
    if (refusal != null) {
      throw new IllegalStateException(retried + ": " + refusal);
    }
  }

  private boolean isAsyncEnabled() {
    return beans != null
        && beans.containsBean(TaskManagementConfigUtils.ASYNC_ANNOTATION_PROCESSOR_BEAN_NAME);
  }
}

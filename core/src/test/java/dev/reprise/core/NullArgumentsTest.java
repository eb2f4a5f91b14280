package dev.reprise.core;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.core.backoff.Backoff;
import dev.reprise.core.budget.RetryBudget;
import dev.reprise.core.budget.TokenPrices;
import dev.reprise.core.classify.Classifier;
import dev.reprise.core.classify.Verdict;
import dev.reprise.core.http.RetryingHttpSender;
import dev.reprise.core.retry.Retry;
import dev.reprise.core.retry.RetryBuilder;
import dev.reprise.core.strategy.RetryStrategies;
import dev.reprise.core.strategy.StandardRetryStrategy;
import java.lang.reflect.Array;
import java.lang.reflect.Constructor;
import java.lang.reflect.Executable;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Parameter;
import java.lang.reflect.Proxy;
import java.net.http.HttpClient;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * Null for an argument of anything public is refused by the argument's name. The jar has no names
 * of parameters, so what the JVM says of one by itself is {@code "<parameter1>"}.
 */
class NullArgumentsTest {
  private static final Map<Class<?>, Object> VALUES =
      Map.ofEntries(
          Map.entry(int.class, 1),
          Map.entry(long.class, 1L),
          Map.entry(double.class, 0.5),
          Map.entry(boolean.class, false),
          Map.entry(Duration.class, Duration.ofSeconds(1)),
          Map.entry(Instant.class, Instant.EPOCH),
          Map.entry(String.class, "x"),
          Map.entry(Object.class, "x"),
          Map.entry(Class.class, String.class),
          Map.entry(Throwable.class, new IllegalStateException("x")),
          Map.entry(Iterable.class, List.of("1")),
          Map.entry(Backoff.class, Backoff.none()),
          Map.entry(Operation.class, Operation.DEFAULT),
          Map.entry(Retry.class, Retry.ofDefaults()),
          Map.entry(Classifier.class, Classifier.defaults()),
          Map.entry(Verdict.class, Verdict.UNKNOWN),
          Map.entry(RetryBudget.class, RetryBudget.unlimited()),
          Map.entry(TokenPrices.class, TokenPrices.SMITHY_GUIDE),
          Map.entry(RetryStrategy.class, RetryStrategies.standard()),
          Map.entry(StandardRetryStrategy.class, RetryStrategies.standard()),
          Map.entry(HttpClient.class, HttpClient.newHttpClient()),
          Map.entry(RetryingHttpSender.class, RetryingHttpSender.of(HttpClient.newHttpClient())));

  private static @Nullable Object value(Class<?> type) {
    if (VALUES.containsKey(type)) {
      return VALUES.get(type);
    }
    if (type == RetryBuilder.class) {
      return Retry.builder();
    }
    if (type == StandardRetryStrategy.Builder.class) {
      return StandardRetryStrategy.builder();
    }
    if (type.isEnum()) {
      return type.getEnumConstants()[0];
    }
    if (type.isArray()) {
      return Array.newInstance(type.getComponentType(), 0);
    }
    return type.isInterface() && !type.isSealed()
        ? Proxy.newProxyInstance(
            type.getClassLoader(), new Class<?>[] {type}, (proxy, method, arguments) -> null)
        : null;
  }

  private static List<Class<?>> publicClasses() throws Exception {
    Path root = Path.of(Retry.class.getProtectionDomain().getCodeSource().getLocation().toURI());
    List<Class<?>> classes = new ArrayList<>();
    try (Stream<Path> files = Files.walk(root)) {
      for (Path file : files.sorted().toList()) {
        String name = root.relativize(file).toString();
        if (name.endsWith(".class") && !name.endsWith("-info.class")) {
          Class<?> found =
              Class.forName(name.substring(0, name.length() - ".class".length()).replace('/', '.'));
          if (Modifier.isPublic(found.getModifiers())) {
            classes.add(found);
          }
        }
      }
    }
    return classes;
  }

  @Test
  void nullIsRefusedByTheNameOfTheArgument() throws Exception {
    List<String> leaks = new ArrayList<>();
    int tried = 0;
    for (Class<?> type : publicClasses()) {
      List<Executable> entries = new ArrayList<>(List.of(type.getConstructors()));
      entries.addAll(List.of(type.getDeclaredMethods()));
      for (Executable entry : entries) {
        if (Modifier.isPublic(entry.getModifiers())
            && !entry.isSynthetic()
            && !entry.getName().equals("equals")) {
          tried += tryNulls(type, entry, leaks);
        }
      }
    }
    assertThat(leaks).isEmpty();
    assertThat(tried).isGreaterThan(80);
  }

  /** Passes null for one argument after the other, and returns for how many. */
  private static int tryNulls(Class<?> type, Executable entry, List<String> leaks)
      throws ReflectiveOperationException {
    boolean ofObject = entry instanceof Method && !Modifier.isStatic(entry.getModifiers());
    // Of an interface only what it implements itself could be asked, and of few is there a value.
    Object target = ofObject && !type.isInterface() ? value(type) : null;
    if (ofObject && target == null) {
      return 0;
    }
    Parameter[] parameters = entry.getParameters();
    int tried = 0;
    for (int i = 0; i < parameters.length; i++) {
      if (parameters[i].getType().isPrimitive() || mayBeNull(parameters[i])) {
        continue;
      }
      Object[] arguments = new Object[parameters.length];
      for (int j = 0; j < arguments.length; j++) {
        arguments[j] = j == i ? null : value(parameters[j].getType());
      }
      tried++;
      String where = type.getSimpleName() + "." + entry.getName() + ", argument " + (i + 1);
      try {
        Object unused =
            entry instanceof Method method
                ? method.invoke(target, arguments)
                : ((Constructor<?>) entry).newInstance(arguments);
        if (!type.isRecord() && !(entry instanceof Constructor)) {
          // It may be asked for later, as long as that names it; nothing public of core does.
          leaks.add(where + " is accepted");
        }
      } catch (InvocationTargetException e) {
        Throwable thrown = e.getCause();
        if (!(thrown instanceof NullPointerException)
            || thrown.getMessage() == null
            || thrown.getMessage().contains("because")) {
          leaks.add(where + ": " + thrown);
        }
      }
    }
    return tried;
  }

  private static boolean mayBeNull(Parameter parameter) {
    return Arrays.stream(parameter.getAnnotatedType().getAnnotations())
        .anyMatch(Nullable.class::isInstance);
  }
}

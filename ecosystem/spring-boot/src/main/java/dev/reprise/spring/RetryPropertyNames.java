package dev.reprise.spring;

import dev.reprise.policy.document.FieldNames;
import dev.reprise.spring.RepriseProperties.NamedRetry;
import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.core.env.Environment;

/**
 * The names of the properties. Spring ignores those that it does not know, so that after a typing
 * error a retry would silently keep its defaults.
 */
final class RetryPropertyNames {
  private static final String ROOT = "reprise";
  private static final String RETRY = "retry";
  private static final List<String> FIELDS =
      Stream.of(NamedRetry.class.getRecordComponents()).map(RecordComponent::getName).toList();

  private RetryPropertyNames() {}

  /**
   * Returns the properties of each retry by its name.
   *
   * @throws RetryPropertyException naming every unknown property of a retry, and those whose prefix
   *     is a likely misspelling of {@code reprise.retry}
   */
  static Map<String, Object> retries(Environment environment) {
    Bindable<Map<String, Object>> map = Bindable.mapOf(String.class, Object.class);
    Map<String, Object> all = Binder.get(environment).bind(ROOT, map).orElse(Map.of());
    List<String> unknown = new ArrayList<>();
    for (Map.Entry<String, Object> property : all.entrySet()) {
      // Others may begin with the same word, such as the variables of the command line.
      if (!canonical(property.getKey()).equals(RETRY)
          && FieldNames.nearest(property.getKey(), List.of(RETRY)).isPresent()
          && property.getValue() instanceof Map) {
        unknown.add(
            ROOT
                + "."
                + property.getKey()
                + " is no property: did you mean "
                + ROOT
                + "."
                + RETRY
                + "?");
      }
    }
    Map<String, Object> retries =
        Binder.get(environment).bind(ROOT + "." + RETRY, map).orElse(Map.of());
    retries.forEach((name, fields) -> addUnknown(unknown, name, fields));
    if (!unknown.isEmpty()) {
      throw new RetryPropertyException(unknown, null);
    }
    return retries;
  }

  private static void addUnknown(List<String> unknown, String name, Object fields) {
    if (!(fields instanceof Map<?, ?> map)) {
      return;
    }
    for (Object key : map.keySet()) {
      String written = String.valueOf(key);
      if (FIELDS.stream().noneMatch(field -> canonical(field).equals(canonical(written)))) {
        unknown.add(
            PropertiesPolicy.PREFIX
                + name
                + "."
                + written
                + " is no property: "
                + FieldNames.nearest(written, FIELDS)
                    .map(nearest -> "did you mean " + PropertiesPolicy.kebab(nearest) + "?")
                    .orElseGet(
                        () ->
                            "known are "
                                + String.join(
                                    ", ", FIELDS.stream().map(PropertiesPolicy::kebab).toList())));
      }
    }
  }

  /** Files write max-attempts, variables MAXATTEMPTS, and all of them mean the same. */
  private static String canonical(String name) {
    return name.replaceAll("[^A-Za-z0-9]", "").toLowerCase(Locale.ROOT);
  }
}

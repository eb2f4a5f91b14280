package dev.reprise.spring;

import dev.reprise.spring.RepriseProperties.NamedRetry;
import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;

/**
 * Names for a native image what is read by reflection beside what Spring finds itself: the
 * components of the properties' record, whose names are those that {@link RetryPropertyNames}
 * knows.
 */
final class RepriseRuntimeHints implements RuntimeHintsRegistrar {
  RepriseRuntimeHints() {}

  @Override
  public void registerHints(RuntimeHints hints, @Nullable ClassLoader classLoader) {
    hints
        .reflection()
        .registerType(
            NamedRetry.class,
            MemberCategory.INVOKE_DECLARED_CONSTRUCTORS,
            MemberCategory.INVOKE_DECLARED_METHODS);
  }
}

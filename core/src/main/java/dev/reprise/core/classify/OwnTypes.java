package dev.reprise.core.classify;

import dev.reprise.core.ErrorInfo;
import dev.reprise.core.RetryInfo;
import java.io.IOException;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Exceptions of programs and libraries that all default rules judge by their type alone, because
 * the only class of the JDK that they extend means nothing in particular, and those of the
 * libraries that {@link LibraryRule} knows. The rules need not be asked one after the other then:
 * the type is looked at once.
 */
final class OwnTypes {
  private static final int RULES_DECIDE = 0;
  private static final int MEANS_NOTHING = 1;
  private static final int MEANS_INPUT_OR_OUTPUT = 2;

  /** The lowest bits of a meaning; above them is the kind of a library's exception. */
  private static final int BITS = 2;

  private static final int MASK = (1 << BITS) - 1;

  private static final Set<Class<?>> PLAIN =
      Set.of(Throwable.class, Exception.class, RuntimeException.class);

  /** Holds numbers and nothing of ours, so that no class of others keeps our classes alive. */
  private static final ClassValue<Integer> MEANINGS =
      new ClassValue<>() {
        @Override
        protected Integer computeValue(Class<?> type) {
          return meaningOf(type);
        }
      };

  private OwnTypes() {}

  /**
   * Returns the verdict of the default rules on a failure that its type alone decides, {@link
   * Verdict#UNKNOWN} among them; null if the rules must look at the failure. No other veto applies
   * to the failure unless this is null.
   */
  static @Nullable Verdict verdictOn(Throwable failure) {
    int meaning = MEANINGS.get(failure.getClass());
    int kind = meaning >> BITS;
    if (kind != LibraryRule.NONE) {
      Verdict verdict = LibraryRule.of(kind, failure);
      if (verdict.isKnown()) {
        return verdict;
      }
    }
    return switch (meaning & MASK) {
      case MEANS_NOTHING -> Verdict.UNKNOWN;
      case MEANS_INPUT_OR_OUTPUT -> NetworkRule.ANY_IO;
      default -> null;
    };
  }

  private static int meaningOf(Class<?> type) {
    if (RetryInfo.class.isAssignableFrom(type) || ErrorInfo.class.isAssignableFrom(type)) {
      return RULES_DECIDE;
    }
    return LibraryRule.kindOf(type) << BITS | inheritedMeaning(type);
  }

  private static int inheritedMeaning(Class<?> type) {
    Class<?> known = type;
    while (known != null && !isOfJdk(known)) {
      known = known.getSuperclass();
    }
    if (known == IOException.class) {
      return MEANS_INPUT_OR_OUTPUT;
    }
    return known != null && PLAIN.contains(known) ? MEANS_NOTHING : RULES_DECIDE;
  }

  /** Some modules of the JDK have a class loader that is not null, but all have these names. */
  private static boolean isOfJdk(Class<?> type) {
    return type.getName().startsWith("java.") || type.getName().startsWith("javax.");
  }
}

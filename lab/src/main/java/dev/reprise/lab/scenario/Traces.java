package dev.reprise.lab.scenario;

import org.jspecify.annotations.Nullable;

/** Reads recorded failures from the files beside a scenario. */
@FunctionalInterface
public interface Traces {
  /** For scenarios that come without files. */
  Traces NONE =
      (file, endpoint) -> {
        throw new IllegalArgumentException("there are no files beside this scenario");
      };

  /**
   * Returns what a file has recorded.
   *
   * @param file as the scenario names it, relative to the scenario
   * @param endpoint whose failures, or null where the file tells of one only
   * @throws IllegalArgumentException when the file does not say what it should; its message follows
   *     the name of the file
   * @throws java.io.UncheckedIOException when the file cannot be read
   */
  Failure.Trace read(String file, @Nullable String endpoint);
}

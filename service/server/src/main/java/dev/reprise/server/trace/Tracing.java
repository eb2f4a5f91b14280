package dev.reprise.server.trace;

import dev.reprise.delivery.MessageId;
import dev.reprise.delivery.TraceContext;
import dev.reprise.delivery.attempt.AttemptTracer;
import java.util.List;
import java.util.Locale;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Follows each message from its publishing to its attempts. What a publisher says of its trace is
 * always passed on; spans are recorded and exported only where OpenTelemetry is configured. Safe
 * for use by many threads.
 */
public interface Tracing extends AttemptTracer, AutoCloseable {
  /** Passes on what publishers say, and records nothing. */
  Tracing PASS_ON = new PassingOn();

  /** The settings of OpenTelemetry of which one makes this service export. */
  List<String> SETTINGS =
      List.of(
          "otel.exporter.otlp.endpoint",
          "otel.exporter.otlp.traces.endpoint",
          "otel.traces.exporter");

  /** A publish under way. Ends with exactly one of the calls. */
  interface Publish {
    /** Returns what is stored with the message; null for no trace. */
    @Nullable TraceContext context();

    /** The message is durable. */
    void accepted(MessageId message);

    /** It was not accepted, because of an error of this class. */
    void failed(Throwable error);
  }

  /**
   * A publish begins.
   *
   * @param caller what the publisher says of its trace; null for nothing
   */
  Publish publish(String topic, @Nullable TraceContext caller);

  /** Exports what is left, for a few seconds at the most. */
  @Override
  void close();

  /**
   * Returns what the environment and the system properties ask for, by the names that every SDK of
   * OpenTelemetry has, such as {@code OTEL_EXPORTER_OTLP_ENDPOINT}.
   *
   * @throws IllegalArgumentException if a setting is wrong
   */
  static Tracing configured() {
    return isConfigured(Tracing::setting) ? OtelTracing.open() : PASS_ON;
  }

  /** Whether one of the {@link #SETTINGS} asks for an export that no other forbids. */
  static boolean isConfigured(UnaryOperator<@Nullable String> settings) {
    if ("true".equalsIgnoreCase(settings.apply("otel.sdk.disabled"))
        || "none".equals(settings.apply("otel.traces.exporter"))) {
      return false;
    }
    return SETTINGS.stream().map(settings).anyMatch(value -> value != null && !value.isBlank());
  }

  private static @Nullable String setting(@Nullable String property) {
    String name = String.valueOf(property);
    String value = System.getProperty(name);
    return value != null ? value : System.getenv(name.toUpperCase(Locale.ROOT).replace('.', '_'));
  }
}

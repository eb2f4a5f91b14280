package dev.reprise.cli.service;

import dev.reprise.cli.terminal.Words;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Options by which a list of subscriptions is filtered by customer and labels. */
final class LabellingOptions {
  private static final int MAX_SHOWN = 32;

  @Option(names = "--customer", paramLabel = "ID", description = "Only those of this customer.")
  private @Nullable String customer;

  @Option(
      names = "--label",
      paramLabel = "KEY=VALUE",
      description = "Only those with this label. May be repeated: all must be there.")
  private List<String> labels = List.of();

  boolean areGiven() {
    return customer != null || !labels.isEmpty();
  }

  /** Adds the parameters of the query. */
  void addTo(Map<String, @Nullable Object> filter) {
    filter.put("customer", customer);
    filter.put("label", labels);
  }

  /** Returns a name or a customer as a list has it. */
  static String inList(@Nullable String text) {
    return text == null ? "" : Words.shortened(text, MAX_SHOWN);
  }

  /** Returns labels on one line. */
  static String text(Map<String, String> labels) {
    return labels.entrySet().stream()
        .map(label -> label.getKey() + "=" + label.getValue())
        .collect(Collectors.joining(", "));
  }
}

package dev.reprise.cli;

import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import picocli.CommandLine.Model.CommandSpec;

/**
 * Words of other command lines, and of this one's descriptions, for what has another name here. A
 * likeness of letters would not find them.
 */
final class OtherWords {
  private static final Map<String, List<String>> MEANT =
      Map.of(
          "count", List.of("reasons"),
          "ls", List.of("list"),
          "get", List.of("show"),
          "describe", List.of("show"),
          "add", List.of("create"),
          "new", List.of("create"),
          "rm", List.of("delete", "revoke"),
          "remove", List.of("delete", "revoke"),
          "--rate", List.of("--per-second", "--max-per-second"));

  private OtherWords() {}

  /** Returns what a command has for a word that it does not know; empty if there is nothing. */
  static List<String> meant(CommandSpec command, String word) {
    Stream<String> known = Objects.requireNonNullElse(MEANT.get(word), List.<String>of()).stream();
    return known
        .filter(
            each ->
                command.subcommands().containsKey(each) || command.optionsMap().containsKey(each))
        .toList();
  }
}

package dev.reprise.lab.scenario;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/** Maps from words that keep the order in which messages name them. */
final class ScenarioWords {
  private ScenarioWords() {}

  static <T> Map<String, T> of(String a, T ofA, String b, T ofB) {
    Map<String, T> words = new LinkedHashMap<>();
    words.put(a, ofA);
    words.put(b, ofB);
    return Collections.unmodifiableMap(words);
  }

  static <T> Map<String, T> of(String a, T ofA, String b, T ofB, String c, T ofC, String d, T ofD) {
    Map<String, T> words = new LinkedHashMap<>(of(a, ofA, b, ofB));
    words.putAll(of(c, ofC, d, ofD));
    return Collections.unmodifiableMap(words);
  }
}

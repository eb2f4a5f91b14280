package dev.reprise.core.strategy;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * Reads the vectors: objects, arrays, strings without escapes, and numbers. Core has no JSON
 * library, not even in its tests.
 */
final class Json {
  private final String text;
  private int at;

  private Json(String text) {
    this.text = text;
  }

  /** Returns the objects of the array that the resource is. */
  @SuppressWarnings("unchecked")
  static List<Map<String, Object>> objects(String resource) {
    try (InputStream in = Objects.requireNonNull(Json.class.getResourceAsStream(resource))) {
      Json json = new Json(new String(in.readAllBytes(), StandardCharsets.UTF_8));
      return (List<Map<String, Object>>) json.value();
    } catch (IOException e) {
      throw new IllegalStateException(resource, e);
    }
  }

  private Object value() {
    return switch (peek()) {
      case '{' -> object();
      case '[' -> array();
      case '"' -> string();
      default -> number();
    };
  }

  private Map<String, Object> object() {
    Map<String, Object> object = new LinkedHashMap<>();
    expect('{');
    while (peek() != '}') {
      String name = string();
      expect(':');
      object.put(name, value());
      skip(',');
    }
    expect('}');
    return object;
  }

  private List<Object> array() {
    List<Object> array = new ArrayList<>();
    expect('[');
    while (peek() != ']') {
      array.add(value());
      skip(',');
    }
    expect(']');
    return array;
  }

  private String string() {
    expect('"');
    int end = text.indexOf('"', at);
    String string = text.substring(at, end);
    at = end + 1;
    return string;
  }

  private Double number() {
    int start = at;
    while (at < text.length() && "+-.eE0123456789".indexOf(text.charAt(at)) >= 0) {
      at++;
    }
    return Double.valueOf(text.substring(start, at));
  }

  private char peek() {
    while (Character.isWhitespace(text.charAt(at))) {
      at++;
    }
    return text.charAt(at);
  }

  private void expect(char wanted) {
    if (peek() != wanted) {
      throw new IllegalStateException("at " + at + ": " + peek() + " instead of " + wanted);
    }
    at++;
  }

  private void skip(char optional) {
    if (peek() == optional) {
      at++;
    }
  }
}

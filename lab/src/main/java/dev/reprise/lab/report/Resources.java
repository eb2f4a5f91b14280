package dev.reprise.lab.report;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;

/** Texts that are kept as files of their own: style, script and schema. */
final class Resources {
  private Resources() {}

  static String text(String path) {
    try (InputStream resource = Resources.class.getResourceAsStream(path)) {
      if (resource == null) {
        throw new IllegalStateException(path + " is not in the jar");
      }
      return new String(resource.readAllBytes(), StandardCharsets.UTF_8).replace("\r\n", "\n");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}

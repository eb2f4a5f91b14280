package dev.reprise.server.cli;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** Files and standard input as the arguments of a command. */
final class InputFile {
  /**
   * More than any document or message may be, so that a wrong file is refused before it is read.
   */
  private static final int MOST_BYTES = 16 << 20;

  private InputFile() {}

  /**
   * Reads a whole file.
   *
   * @throws Failure when it cannot be read
   */
  static byte[] bytes(String name) {
    try {
      Path path = Path.of(name);
      if (Files.isDirectory(path)) {
        throw Failure.wrongUsage(name + " is a folder: a file is needed");
      }
      if (Files.size(path) > MOST_BYTES) {
        throw Failure.wrongUsage(
            name + " has " + Files.size(path) + " bytes: must be at most " + MOST_BYTES);
      }
      return Files.readAllBytes(path);
    } catch (IOException | InvalidPathException e) {
      throw Failure.wrongUsage(reason(name, e));
    }
  }

  static String text(String name) {
    String text = utf8(bytes(name));
    if (text == null) {
      throw Failure.wrongUsage(name + " is not text in UTF-8");
    }
    return text;
  }

  static String standardInput(Terminal terminal) {
    try {
      String text = utf8(terminal.in().readNBytes(MOST_BYTES));
      if (text == null) {
        throw Failure.wrongUsage("the standard input is not text in UTF-8");
      }
      return text;
    } catch (IOException e) {
      throw Failure.wrongUsage("the standard input cannot be read: " + e.getMessage());
    }
  }

  /** Returns the text, or null when the bytes are not UTF-8. */
  static @Nullable String utf8(byte[] bytes) {
    try {
      String text = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
      // Some editors begin every file with a mark that means nothing in UTF-8.
      return text.startsWith("\ufeff") ? text.substring(1) : text;
    } catch (CharacterCodingException e) {
      return null;
    }
  }

  static String reason(String name, Exception e) {
    if (e instanceof NoSuchFileException) {
      return "there is no file " + name;
    }
    if (e instanceof AccessDeniedException) {
      return name + " may not be read";
    }
    return name + " cannot be read: " + e.getMessage();
  }
}

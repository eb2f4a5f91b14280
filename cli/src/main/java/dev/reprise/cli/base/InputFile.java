package dev.reprise.cli.base;

import dev.reprise.cli.terminal.Terminal;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
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
public final class InputFile {
  /**
   * More than any document or message may be, so that a wrong file is refused before it is read.
   */
  private static final int MAX_BYTES = 16 << 20;

  private InputFile() {}

  /**
   * Reads a whole file.
   *
   * @throws CommandFailure when it cannot be read
   */
  public static byte[] bytes(String name) {
    try {
      Path path = Path.of(name);
      if (Files.isDirectory(path)) {
        throw CommandFailure.wrongUsage(name + " is a folder: a file is needed");
      }
      try (InputStream in = Files.newInputStream(path)) {
        return bytes(name, in);
      }
    } catch (IOException | InvalidPathException e) {
      throw CommandFailure.wrongUsage(reason(name, e));
    }
  }

  public static String text(String name) {
    String text = utf8(bytes(name));
    if (text == null) {
      throw CommandFailure.wrongUsage(name + " is not text in UTF-8");
    }
    return text;
  }

  public static String standardInput(Terminal terminal) {
    String text = utf8(standardInputBytes(terminal));
    if (text == null) {
      throw CommandFailure.wrongUsage("the standard input is not text in UTF-8");
    }
    return text;
  }

  public static byte[] standardInputBytes(Terminal terminal) {
    try {
      return bytes("the standard input", terminal.in());
    } catch (IOException e) {
      throw CommandFailure.wrongUsage("the standard input cannot be read: " + e.getMessage());
    }
  }

  /**
   * Reads to the end, by nothing but reading: a pipe has neither a length nor a position, and JDK
   * 17 asks for both in {@link InputStream#readNBytes(int)} and {@link InputStream#available}.
   */
  private static byte[] bytes(String name, InputStream in) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    byte[] buffer = new byte[1 << 16];
    int read;
    while ((read = in.read(buffer)) >= 0) {
      bytes.write(buffer, 0, read);
      if (bytes.size() > MAX_BYTES) {
        throw CommandFailure.wrongUsage(name + " has more than " + MAX_BYTES + " bytes");
      }
    }
    return bytes.toByteArray();
  }

  /** Returns the text, or null when the bytes are not UTF-8. */
  public static @Nullable String utf8(byte[] bytes) {
    try {
      String text = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
      // Some editors begin every file with a mark that means nothing in UTF-8.
      return text.startsWith("\ufeff") ? text.substring(1) : text;
    } catch (CharacterCodingException e) {
      return null;
    }
  }

  public static String reason(String name, Exception e) {
    if (e instanceof NoSuchFileException) {
      return "there is no file " + name;
    }
    if (e instanceof AccessDeniedException) {
      return name + " may not be read";
    }
    return name + " cannot be read: " + e.getMessage();
  }
}

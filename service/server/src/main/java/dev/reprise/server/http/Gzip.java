package dev.reprise.server.http;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Locale;
import java.util.zip.GZIPOutputStream;

/** Compression of answers with gzip, for clients that ask for it. */
public final class Gzip {
  private Gzip() {}

  /** Returns whether the client takes gzip: it names it, and not with a quality of zero. */
  public static boolean isTakenBy(Call call) {
    String accepted = call.header("Accept-Encoding");
    if (accepted == null) {
      return false;
    }
    for (String each : accepted.toLowerCase(Locale.ROOT).replace(" ", "").split(",", -1)) {
      if (each.equals("gzip") || (each.startsWith("gzip;") && !each.matches("gzip;q=0(\\.0*)?"))) {
        return true;
      }
    }
    return false;
  }

  /**
   * Returns bytes compressed.
   *
   * @param level from 1, which is fast, to 9, which is small: those of {@link
   *     java.util.zip.Deflater}
   */
  public static byte[] compress(byte[] plain, int level) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (GZIPOutputStream gzip =
        new GZIPOutputStream(bytes) {
          {
            def.setLevel(level);
          }
        }) {
      gzip.write(plain);
    } catch (IOException e) {
      throw new UncheckedIOException("memory cannot fail", e);
    }
    return bytes.toByteArray();
  }
}

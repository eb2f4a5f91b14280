package dev.reprise.core.classify;

import dev.reprise.core.RetrySafety;
import dev.reprise.core.classify.Verdict.Basis;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.ObjectStreamException;
import java.io.UTFDataFormatException;
import java.io.UnsupportedEncodingException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.FileSystemException;
import java.util.zip.ZipException;

/** Files that refuse, and data that cannot be read: the next try would find them as they are. */
final class DataRule {
  private static final Verdict FILE =
      Verdict.of(RetrySafety.NO, Basis.INDICATION, "the file is missing, or refuses");
  private static final Verdict MALFORMED =
      Verdict.of(RetrySafety.NO, Basis.INDICATION, "the data is malformed");

  private DataRule() {}

  /** Returns the verdict on an exception about files or data, or {@link Verdict#UNKNOWN}. */
  static Verdict of(IOException failure) {
    // Also HttpURLConnection's word for 404 and 410.
    if (failure instanceof FileNotFoundException || failure instanceof FileSystemException) {
      return FILE;
    }
    if (failure instanceof CharacterCodingException
        || failure instanceof ObjectStreamException
        || failure instanceof UTFDataFormatException
        || failure instanceof UnsupportedEncodingException
        || failure instanceof ZipException) {
      return MALFORMED;
    }
    return Verdict.UNKNOWN;
  }
}

package dev.reprise.delivery.backup;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The bytes of a backup, made while they are read: a tar archive of {@value BackupManifest#FILE},
 * of the files of a data folder below {@code data/}, and of their checksums in {@value #SUMS_FILE},
 * as {@code sha256sum} has them. Holds none of it in memory. Not safe for use by several threads.
 */
public final class BackupStream extends InputStream {
  static final String SUMS_FILE = "SHA256SUMS";
  static final String DATA = "data/";

  /** Without it, a data folder is not taken for one: it is restored when all else is there. */
  static final String LAST = "CURRENT";

  static final Pattern FILE_NAME =
      Pattern.compile(
          "CURRENT|MANIFEST-\\d{1,18}|OPTIONS-\\d{1,18}|\\d{1,18}\\.(sst|log|blob)"
              + "|reprise\\.(format|synced)");

  private static final int LINE_BYTES = 64 + 2 + 1;

  private final BackupManifest manifest;
  private final Deque<Part> parts = new ArrayDeque<>();
  private final long size;
  private final Runnable closed;
  private final MessageDigest digest = Digests.sha256();
  private final StringBuilder sums = new StringBuilder();

  /** Bytes that are not of a file's contents: headers, zeros. */
  private InputStream frame = InputStream.nullInputStream();

  private @Nullable Part current;
  private @Nullable InputStream contents;
  private long left;
  private boolean summed;
  private boolean over;
  private boolean isClosed;

  /** A file; {@code bytes} are its contents if it is not in a folder. */
  private record Part(String name, long size, @Nullable Path file, byte[] bytes) {
    InputStream open() throws IOException {
      return file == null ? new ByteArrayInputStream(bytes) : Files.newInputStream(file);
    }
  }

  /**
   * The backup of a folder in which nothing changes any more.
   *
   * @param format the format of the folder
   * @param closed is run once when this is closed
   * @throws IOException if the folder cannot be listed
   */
  public static BackupStream of(Path folder, int format, Instant takenAt, Runnable closed)
      throws IOException {
    List<Part> files = new ArrayList<>();
    long bytes = 0;
    try (DirectoryStream<Path> all = Files.newDirectoryStream(folder)) {
      for (Path file : all) {
        String name = Objects.requireNonNull(file.getFileName()).toString();
        // Not its diary and its locks.
        if (FILE_NAME.matcher(name).matches()) {
          long size = Files.size(file);
          files.add(new Part(DATA + name, size, file, new byte[0]));
          bytes += size;
        }
      }
    }
    files.sort(
        Comparator.comparing((Part part) -> part.name().endsWith(LAST)).thenComparing(Part::name));
    return new BackupStream(
        new BackupManifest(format, takenAt, files.size(), bytes), files, closed);
  }

  private BackupStream(BackupManifest manifest, List<Part> files, Runnable closed) {
    this.manifest = manifest;
    this.closed = closed;
    byte[] described = manifest.toBytes();
    parts.add(new Part(BackupManifest.FILE, described.length, null, described));
    parts.addAll(files);
    long all = TarHeader.END_BYTES;
    long sumBytes = 0;
    for (Part part : parts) {
      all += TarHeader.bytesOf(part.size());
      sumBytes += LINE_BYTES + part.name().length();
    }
    this.size = all + TarHeader.bytesOf(sumBytes);
  }

  /** Returns what is in the backup. */
  public BackupManifest manifest() {
    return manifest;
  }

  /** Returns the number of bytes from the beginning to the end. */
  public long size() {
    return size;
  }

  @Override
  public int read() throws IOException {
    byte[] one = new byte[1];
    return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
  }

  @Override
  public int read(byte[] buffer, int from, int length) throws IOException {
    Objects.checkFromIndexSize(from, length, buffer.length);
    if (isClosed) {
      throw new IOException("the backup was closed");
    }
    if (length == 0) {
      return 0;
    }
    while (true) {
      int framed = frame.read(buffer, from, length);
      if (framed > 0) {
        return framed;
      }
      if (left > 0) {
        return readContents(buffer, from, (int) Math.min(length, left));
      }
      if (over) {
        return -1;
      }
      next();
    }
  }

  private int readContents(byte[] buffer, int from, int most) throws IOException {
    int count = Objects.requireNonNull(contents).read(buffer, from, most);
    if (count < 0) {
      throw new IOException(Objects.requireNonNull(current).name() + " has become shorter");
    }
    digest.update(buffer, from, count);
    left -= count;
    return count;
  }

  /** Ends a file and begins the next one, or the end. */
  private void next() throws IOException {
    ByteArrayOutputStream between = new ByteArrayOutputStream();
    if (current != null) {
      sums.append(Digests.hex(digest)).append("  ").append(current.name()).append('\n');
      between.write(new byte[TarHeader.padding(current.size())]);
      closeContents();
    }
    Part part = parts.poll();
    if (part == null && !summed) {
      summed = true;
      byte[] lines = sums.toString().getBytes(US_ASCII);
      part = new Part(SUMS_FILE, lines.length, null, lines);
    }
    current = part;
    if (part == null) {
      over = true;
      between.write(new byte[TarHeader.END_BYTES]);
    } else {
      contents = part.open();
      left = part.size();
      between.write(
          new TarHeader(part.name(), part.size(), manifest.takenAt().getEpochSecond()).toBytes());
    }
    frame = new ByteArrayInputStream(between.toByteArray());
  }

  private void closeContents() throws IOException {
    InputStream open = contents;
    contents = null;
    if (open != null) {
      open.close();
    }
  }

  /** Ends it, read to the end or not. */
  @Override
  public void close() throws IOException {
    if (isClosed) {
      return;
    }
    isClosed = true;
    try {
      closeContents();
    } finally {
      closed.run();
    }
  }
}

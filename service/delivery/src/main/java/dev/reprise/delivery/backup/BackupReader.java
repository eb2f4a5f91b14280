package dev.reprise.delivery.backup;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.security.MessageDigest;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Reads a backup from beginning to end, hands on its files, and proves that every byte is as it was
 * written. What was handed on is right only once {@link #read} has returned.
 */
public final class BackupReader {
  private static final int BUFFER_BYTES = 1 << 16;
  private static final int MAX_FILES = 1_000_000;

  private final InputStream in;
  private final Receiver receiver;
  private final byte[] buffer = new byte[BUFFER_BYTES];
  private final MessageDigest digest = Digests.sha256();
  private final StringBuilder sums = new StringBuilder();
  private final Set<String> names = new HashSet<>();
  private String within = "the beginning";
  private long bytes;

  /** Receives the files of a backup. */
  public interface Receiver {
    /** The backup has this description; throws to refuse it. */
    void began(BackupManifest manifest) throws IOException;

    /** Returns where the contents of a file of the data folder go; it is closed after them. */
    OutputStream file(String name, long size) throws IOException;
  }

  private BackupReader(InputStream in, Receiver receiver) {
    this.in = in;
    this.receiver = receiver;
  }

  /**
   * Reads {@code in} to its end.
   *
   * @return the description of the backup
   * @throws BackupException if it is no backup, not a whole one, or not as it was written
   */
  public static BackupManifest read(InputStream in, Receiver receiver) throws IOException {
    return new BackupReader(in, receiver).read();
  }

  private BackupManifest read() throws IOException {
    BackupManifest manifest = BackupManifest.read(contents(first(), BackupManifest.MAX_BYTES));
    if (manifest.files() > MAX_FILES) {
      throw new BackupException("has more than " + MAX_FILES + " files");
    }
    receiver.began(manifest);
    for (int i = 0; i < manifest.files(); i++) {
      TarHeader header = header();
      if (header == null || !isData(header.name()) || !names.add(header.name())) {
        throw new BackupException(
            "is damaged: after " + within + " a file of the data folder is missing");
      }
      copy(header, receiver.file(dataName(header), header.size()));
      bytes += header.size();
    }
    String counted = sums.toString();
    TarHeader last = header();
    if (last == null || !last.name().equals(BackupStream.SUMS_FILE)) {
      throw new BackupException("is damaged: " + BackupStream.SUMS_FILE + " is missing");
    }
    compare(counted, new String(contents(last, counted.length()), US_ASCII));
    if (bytes != manifest.bytes()) {
      throw new BackupException("is damaged: its files have " + bytes + " bytes");
    }
    end();
    return manifest;
  }

  private static boolean isData(String name) {
    return name.startsWith(BackupStream.DATA)
        && BackupStream.FILE_NAME.matcher(name.substring(BackupStream.DATA.length())).matches();
  }

  private static String dataName(TarHeader header) {
    return header.name().substring(BackupStream.DATA.length());
  }

  /** The first header tells whether this is a backup at all. */
  private TarHeader first() throws IOException {
    int read = in.readNBytes(buffer, 0, TarHeader.BLOCK);
    if (read == 0) {
      throw new BackupException("is empty");
    }
    if (read == TarHeader.BLOCK) {
      byte[] name = BackupManifest.FILE.getBytes(US_ASCII);
      if (new String(buffer, 0, name.length, US_ASCII).equals(BackupManifest.FILE)) {
        TarHeader header = TarHeader.read(block());
        if (header != null && header.name().equals(BackupManifest.FILE)) {
          return header;
        }
        throw new BackupException("is damaged: its first header is not as it was written");
      }
    }
    throw new BackupException("is no backup of Reprise");
  }

  private @Nullable TarHeader header() throws IOException {
    readFully(TarHeader.BLOCK);
    return TarHeader.read(block());
  }

  private byte[] block() {
    byte[] block = new byte[TarHeader.BLOCK];
    System.arraycopy(buffer, 0, block, 0, block.length);
    return block;
  }

  private byte[] contents(TarHeader header, int most) throws IOException {
    if (header.size() > most) {
      throw new BackupException("is damaged: " + header.name() + " is too long");
    }
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    copy(header, bytes);
    return bytes.toByteArray();
  }

  private void copy(TarHeader header, OutputStream out) throws IOException {
    within = header.name();
    try (out) {
      for (long left = header.size(); left > 0; ) {
        int part = (int) Math.min(left, BUFFER_BYTES);
        readFully(part);
        digest.update(buffer, 0, part);
        out.write(buffer, 0, part);
        left -= part;
      }
    }
    sums.append(Digests.hex(digest)).append("  ").append(header.name()).append('\n');
    zeros(TarHeader.padding(header.size()));
  }

  private void zeros(int count) throws IOException {
    readFully(count);
    if (!TarHeader.isZero(buffer, count)) {
      throw new BackupException("is damaged: what follows " + within + " is not as it was written");
    }
  }

  private void readFully(int count) throws IOException {
    if (in.readNBytes(buffer, 0, count) < count) {
      throw new BackupException("is not whole: it ends within " + within);
    }
  }

  private static void compare(String counted, String written) throws BackupException {
    if (counted.equals(written)) {
      return;
    }
    String[] expected = written.split("\n", -1);
    String[] found = counted.split("\n", -1);
    for (int i = 0; i < found.length; i++) {
      if (i >= expected.length || !found[i].equals(expected[i])) {
        String name = found[i].substring(Math.min(found[i].length(), 66));
        throw new BackupException("is damaged: the checksum of " + name + " is another one");
      }
    }
    throw new BackupException("is damaged: " + BackupStream.SUMS_FILE + " is too long");
  }

  private void end() throws IOException {
    zeros(TarHeader.END_BYTES);
    if (in.read() >= 0) {
      throw new BackupException("is damaged: something follows its end");
    }
  }
}

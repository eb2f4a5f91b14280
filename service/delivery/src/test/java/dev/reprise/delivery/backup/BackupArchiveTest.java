package dev.reprise.delivery.backup;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An archive is read back as it was written, or not at all. */
class BackupArchiveTest {
  private static final Instant TAKEN_AT = Instant.parse("2026-01-31T03:00:00.125Z");

  @TempDir Path folder;
  private byte[] archive;

  private static final class Kept implements BackupReader.Receiver {
    final Map<String, byte[]> files = new LinkedHashMap<>();

    @Override
    public void began(BackupManifest manifest) {}

    @Override
    public OutputStream file(String name, long size) {
      return new ByteArrayOutputStream() {
        @Override
        public void close() {
          files.put(name, toByteArray());
        }
      };
    }
  }

  @BeforeEach
  void write() throws IOException {
    byte[] table = new byte[700];
    new Random(1).nextBytes(table);
    Files.write(folder.resolve("000012.sst"), table);
    Files.writeString(folder.resolve("CURRENT"), "MANIFEST-000005\n");
    Files.write(folder.resolve("000013.log"), new byte[0]);
    Files.writeString(folder.resolve("MANIFEST-000005"), "m".repeat(512));
    // Neither of them is anybody else's.
    Files.writeString(folder.resolve("LOG"), "diary");
    Files.writeString(folder.resolve("dev-secret-key"), "dev:secret");
    archive = archive(3);
  }

  private byte[] archive(int format) throws IOException {
    try (BackupStream stream = BackupStream.of(folder, format, TAKEN_AT, () -> {})) {
      byte[] bytes = stream.readAllBytes();
      assertThat(stream.size()).isEqualTo(bytes.length);
      return bytes;
    }
  }

  private static BackupManifest read(byte[] bytes, BackupReader.Receiver receiver)
      throws IOException {
    return BackupReader.read(new ByteArrayInputStream(bytes), receiver);
  }

  @Test
  void filesComeBackAsTheyWereAndTheFirstReadIsTheLast() throws IOException {
    Kept kept = new Kept();

    BackupManifest manifest = read(archive, kept);

    assertThat(manifest).isEqualTo(new BackupManifest(3, TAKEN_AT, 4, 700 + 16 + 512));
    assertThat(manifest.fileName()).isEqualTo("reprise-20260131T030000Z.tar");
    assertThat(kept.files.keySet())
        .containsExactly("000012.sst", "000013.log", "MANIFEST-000005", "CURRENT");
    for (Map.Entry<String, byte[]> file : kept.files.entrySet()) {
      assertThat(file.getValue()).isEqualTo(Files.readAllBytes(folder.resolve(file.getKey())));
    }
  }

  @Test
  void aFlippedBitAnywhereIsNoticed() {
    for (int i = 0; i < archive.length; i++) {
      byte[] flipped = archive.clone();
      flipped[i] ^= (byte) (1 << (i % 8));

      assertThatThrownBy(() -> read(flipped, new Kept()))
          .as("byte %d", i)
          .isInstanceOf(BackupException.class);
    }
  }

  @Test
  void anArchiveCutShortAnywhereIsNoticed() {
    for (int length = 0; length < archive.length; length++) {
      byte[] cut = Arrays.copyOf(archive, length);

      assertThatThrownBy(() -> read(cut, new Kept()))
          .as("%d bytes", length)
          .isInstanceOf(BackupException.class);
    }
    assertThatThrownBy(() -> read(Arrays.copyOf(archive, archive.length - 9), new Kept()))
        .hasMessage("is not whole: it ends within SHA256SUMS");
  }

  @Test
  void whatFollowsTheEndIsNoticed() {
    byte[] longer = Arrays.copyOf(archive, archive.length + 1);

    assertThatThrownBy(() -> read(longer, new Kept()))
        .hasMessage("is damaged: something follows its end");
  }

  @Test
  void theDamagedFileIsNamed() {
    int at = new String(archive, US_ASCII).indexOf("mmmm");
    archive[at] = 'n';

    assertThatThrownBy(() -> read(archive, new Kept()))
        .hasMessage("is damaged: the checksum of data/MANIFEST-000005 is another one");
  }

  @Test
  void whatIsNoBackupIsToldFromADamagedOne() {
    assertThatThrownBy(() -> read(new byte[0], new Kept())).hasMessage("is empty");
    assertThatThrownBy(() -> read(new byte[4096], new Kept()))
        .hasMessage("is no backup of Reprise");
    assertThatThrownBy(() -> read("x".repeat(700).getBytes(US_ASCII), new Kept()))
        .hasMessage("is no backup of Reprise");
  }

  @Test
  void filesCannotLeaveTheFolder() {
    int at = new String(archive, US_ASCII).indexOf("data/000012.sst");
    for (String hostile : new String[] {"data/../x.sst", "/etc/passwd", "data/dev-secret"}) {
      byte[] header = new TarHeader(hostile, 700, TAKEN_AT.getEpochSecond()).toBytes();
      byte[] changed = archive.clone();
      System.arraycopy(header, 0, changed, at, header.length);
      Kept kept = new Kept();

      assertThatThrownBy(() -> read(changed, kept)).isInstanceOf(BackupException.class);
      assertThat(kept.files).isEmpty();
    }
  }

  @Test
  void aBackupOfANewerVersionIsNamed() {
    byte[] newer =
        new String(archive, US_ASCII)
            .replace("\"version\" : 1", "\"version\" : 2")
            .getBytes(US_ASCII);

    assertThatThrownBy(
            () -> BackupManifest.read(Arrays.copyOfRange(newer, 512, 512 + archiveManifestBytes())))
        .hasMessageStartingWith("was made by a newer version of Reprise (version 2 of backups;");
  }

  private static int archiveManifestBytes() {
    return new BackupManifest(3, TAKEN_AT, 4, 700 + 16 + 512).toBytes().length;
  }

  @Test
  void closingFreesWhatItWasMadeOfOnce() throws IOException {
    int[] closed = {0};
    BackupStream stream = BackupStream.of(folder, 3, TAKEN_AT, () -> closed[0]++);
    assertThat(stream.readNBytes(700)).hasSize(700);

    stream.close();
    stream.close();

    assertThatThrownBy(stream::read).isInstanceOf(IOException.class);
    assertThat(closed[0]).isEqualTo(1);
  }
}

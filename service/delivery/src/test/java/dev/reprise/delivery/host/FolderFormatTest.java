package dev.reprise.delivery.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reprise.delivery.engine.DeliveryEngine;
import dev.reprise.delivery.store.StoreException;
import dev.reprise.policy.NotificationPolicy;
import dev.reprise.policy.Presets;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Folders of other versions, and who may read a folder. */
class FolderFormatTest {
  @TempDir Path temp;
  private Path folder;
  private Path format;

  @BeforeEach
  void nameFolder() {
    folder = temp.resolve("data");
    format = folder.resolve(FolderFormat.FILE);
  }

  private DeliveryEngine open() {
    return DeliveryEngine.open(EngineSettings.in(folder), catalog -> (claim, done) -> {});
  }

  private void fill() {
    try (DeliveryEngine engine = open()) {
      engine.putTopic("orders", NotificationPolicy.of(Presets.get("no-retry")));
    }
  }

  @Test
  void a_new_folder_bears_the_format() throws Exception {
    fill();

    assertThat(Files.readString(format)).isEqualTo(FolderFormat.CURRENT + "\n");
  }

  @Test
  void a_folder_of_a_newer_version_is_refused_and_not_touched() throws Exception {
    fill();
    Files.writeString(format, FolderFormat.CURRENT + 1 + "\n");
    Map<String, Object> before = contents();

    assertThatThrownBy(this::open)
        .isInstanceOf(StoreException.class)
        .hasMessageStartingWith(
            "data folder "
                + folder
                + " was written by a newer version of Reprise (format "
                + (FolderFormat.CURRENT + 1)
                + "; this one reads up to "
                + FolderFormat.CURRENT
                + ")");
    assertThat(contents()).isEqualTo(before);
  }

  @Test
  void a_folder_without_a_format_is_the_first_and_is_read() throws Exception {
    fill();
    Files.delete(format);

    try (DeliveryEngine engine = open()) {
      assertThat(engine.catalog().topic("orders").subscriptions()).isEmpty();
    }
    assertThat(Files.readString(format)).isEqualTo(FolderFormat.CURRENT + "\n");
  }

  @Test
  void a_format_that_is_no_number_is_damage() throws Exception {
    fill();
    Files.writeString(format, "two");

    assertThatThrownBy(this::open)
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("is damaged, in " + format);
  }

  @Test
  void no_other_user_can_read_what_is_delivered() throws Exception {
    fill();
    assertThat(permissions(folder)).isEqualTo("rwx------");

    // As an earlier version has left it.
    Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-xr-x"));
    try (Stream<Path> files = Files.list(folder)) {
      for (Path file : files.filter(file -> file.toString().contains("reprise.")).toList()) {
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r--r--"));
      }
    }
    try (DeliveryEngine engine = open()) {
      assertThat(permissions(folder)).isEqualTo("rwx------");
      try (Stream<Path> files = Files.list(folder)) {
        // The store may remove a file, and make one by the umask, at any time.
        assertThat(files.filter(file -> file.toString().contains("reprise.")))
            .hasSizeGreaterThan(2)
            .allMatch(file -> permissions(file).equals("rw-------"));
      }
      assertThat(engine.fault()).isNull();
    }
  }

  private static String permissions(Path path) {
    try {
      return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private Map<String, Object> contents() throws IOException {
    Map<String, Object> contents = new TreeMap<>();
    try (Stream<Path> files = Files.list(folder)) {
      for (Path file : files.toList()) {
        contents.put(
            file.getFileName().toString(),
            Files.size(file) + " bytes of " + Files.getLastModifiedTime(file));
      }
    }
    return contents;
  }
}

package dev.reprise.device.credential;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class PasswordFileTest {
  @TempDir Path folder;

  private static Credential next(CredentialSupplier supplier) throws Exception {
    return supplier.supply(null).toCompletableFuture().get(5, TimeUnit.MINUTES);
  }

  @Test
  void eachAttemptReadsTheFile() throws Exception {
    Path file = folder.resolve("password");
    CredentialSupplier supplier = CredentialSupplier.passwordFile("dev", file);
    assertThatThrownBy(() -> next(supplier)).hasRootCauseMessage(file.toString());
    Files.writeString(file, "first\n");
    assertThat(next(supplier)).isEqualTo(new Credential("dev", "first", null));
    Files.writeString(file, " second");
    assertThat(next(supplier)).isEqualTo(new Credential("dev", " second", null));
    assertThat(supplier.isRenewable()).isTrue();
  }

  @ParameterizedTest
  @CsvSource({
    "'secret\\n', secret",
    "'secret\\r\\n', secret",
    "'secret \\t\\n', 'secret \\t'",
    "'secret\\n\\n', 'secret\\n'",
    "' ', ' '"
  })
  void onlyOneEndOfLineIsNoPartOfIt(String content, String password) throws Exception {
    Path file = folder.resolve("password");
    Files.writeString(file, content.translateEscapes());
    assertThat(next(CredentialSupplier.passwordFile("dev", file)))
        .isEqualTo(new Credential("dev", password.translateEscapes(), null));
  }

  @ParameterizedTest
  @ValueSource(strings = {"gone", "empty", "no UTF-8"})
  void aFileThatCannotBeUsedLeavesWhatItHeld(String mistake) throws Exception {
    Path file = folder.resolve("password");
    Files.writeString(file, "first\n");
    CredentialSupplier supplier = CredentialSupplier.passwordFile("dev", file);
    Credential first = next(supplier);
    switch (mistake) {
      case "gone" -> Files.delete(file);
      case "empty" -> Files.writeString(file, "\n");
      default -> Files.write(file, new byte[] {(byte) 0xff});
    }
    assertThat(next(supplier)).isEqualTo(first);
    // It is not shown to a hub that has just refused it.
    assertThatThrownBy(() -> supplier.supply(first).toCompletableFuture().get(5, TimeUnit.MINUTES))
        .isInstanceOf(ExecutionException.class);
    Files.writeString(file, "second\n");
    assertThat(next(supplier)).isEqualTo(new Credential("dev", "second", null));
  }

  @Test
  void anEmptyFileIsRefusedByName() throws Exception {
    Path file = Files.writeString(folder.resolve("password"), "\n");
    assertThatThrownBy(() -> next(CredentialSupplier.passwordFile("dev", file)))
        .hasMessageContaining("password is empty: must have a character in " + file);
  }
}

package dev.reprise.device.credential;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

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
    Files.writeString(file, "\n");
    assertThatThrownBy(() -> next(supplier))
        .hasMessageContaining("password is empty: must have a character in " + file);
    assertThat(supplier.isRenewable()).isTrue();
  }
}

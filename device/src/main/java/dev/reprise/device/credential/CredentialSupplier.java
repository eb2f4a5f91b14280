package dev.reprise.device.credential;

import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Supplies credentials: it is asked before every attempt to connect, and before the last one ends.
 * Implementations are thread-safe and do not block; one that has to ask over a network returns a
 * stage that completes later. A stage that fails counts as a failed attempt to connect.
 */
@FunctionalInterface
public interface CredentialSupplier {
  /**
   * Supplies a credential.
   *
   * @param refused the credential that the other side has just refused, which must not be supplied
   *     again, or null
   */
  CompletionStage<Credential> supply(@Nullable Credential refused);

  /**
   * Returns true when a new credential can be had after one was refused. If not, a refusal is
   * final.
   */
  default boolean isRenewable() {
    return true;
  }

  /**
   * Returns true when credentials carry the time of the device's own clock. Their refusal may then
   * be the fault of a clock that is late: it is not final, and they are tried again slowly.
   */
  default boolean dependsOnClock() {
    return false;
  }

  /** Returns the supplier of always the same credential. A refusal of it is final. */
  static CredentialSupplier fixed(Credential credential) {
    CompletableFuture<Credential> supplied = CompletableFuture.completedFuture(credential);
    return new CredentialSupplier() {
      @Override
      public CompletionStage<Credential> supply(@Nullable Credential refused) {
        return supplied;
      }

      @Override
      public boolean isRenewable() {
        return false;
      }
    };
  }

  /** Returns the supplier of a user name and a password. */
  static CredentialSupplier password(String username, String password) {
    return fixed(new Credential(username, password, null));
  }

  /**
   * Returns the supplier of a user name and of the password in a file, which is read at each
   * attempt to connect: so a running client takes over another password. A file that is missing,
   * empty or unreadable leaves the password that was read before, unless that was just refused.
   *
   * @param file the password in UTF-8; one end of line behind it is no part of it
   */
  static CredentialSupplier passwordFile(String username, Path file) {
    return new PasswordFile(username, file);
  }

  /** Returns the supplier of nothing, for devices known by their certificate, or not at all. */
  static CredentialSupplier none() {
    return fixed(Credential.NONE);
  }
}

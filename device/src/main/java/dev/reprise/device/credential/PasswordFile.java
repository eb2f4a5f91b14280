package dev.reprise.device.credential;

import dev.reprise.core.InvalidSettingException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Supplies a user name and the password that a file holds, or held when it could last be used. */
final class PasswordFile implements CredentialSupplier {
  private static final Logger LOG = LoggerFactory.getLogger(PasswordFile.class);

  private static final Pattern END_OF_LINE = Pattern.compile("\\r?\\n\\z");

  private final String username;
  private final Path file;
  private volatile @Nullable Credential last;

  PasswordFile(String username, Path file) {
    this.username = username;
    this.file = file;
  }

  @Override
  public CompletionStage<Credential> supply(@Nullable Credential refused) {
    return CompletableFuture.supplyAsync(() -> latest(refused));
  }

  private Credential latest(@Nullable Credential refused) {
    try {
      Credential read = read();
      last = read;
      return read;
    } catch (UncheckedIOException | InvalidSettingException e) {
      // It may be in the middle of being replaced.
      Credential known = last;
      if (known == null || known.equals(refused)) {
        throw e;
      }
      LOG.warn("{} cannot be used; the password that was read before is kept", file, e);
      return known;
    }
  }

  private Credential read() {
    String content;
    try {
      content = Files.readString(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    // Blanks may belong to a password.
    String password = END_OF_LINE.matcher(content).replaceFirst("");
    if (password.isEmpty()) {
      throw new InvalidSettingException("password", "empty", "must have a character in " + file);
    }
    return new Credential(username, password, null);
  }
}

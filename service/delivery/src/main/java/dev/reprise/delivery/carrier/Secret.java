package dev.reprise.delivery.carrier;

import dev.reprise.policy.document.Codec;
import java.util.Objects;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.JsonNodeFactory;

/** A text that must not be shown: a password, a key. Its {@link #toString} hides it. */
public final class Secret {
  private static final String RULE = "must be a text of 1 to 16384 characters";
  private static final int MAX_CHARS = 16_384;

  /** A field that is encrypted where it is stored and never shown. */
  public static final Codec<Secret> CODEC =
      new Codec<>(
          "secret",
          RULE,
          (checks, path, value) -> {
            String text = value.isString() ? value.stringValue() : "";
            if (text.isEmpty() || text.length() > MAX_CHARS) {
              // The value itself is never repeated, whatever is wrong with it.
              checks.complain(path, JsonNodeFactory.instance.stringNode("not shown"), RULE);
              return null;
            }
            return new Secret(text);
          },
          secret -> JsonNodeFactory.instance.stringNode(secret.text),
          JsonNodeFactory.instance
              .objectNode()
              .put("type", "string")
              .put("writeOnly", true)
              .put("minLength", 1)
              .put("maxLength", MAX_CHARS));

  /**
   * Returns the secrets that fit as well; one that does not is not repeated in the error.
   *
   * @param rule such as {@code must have at most 8 characters}
   */
  public static Codec<Secret> fitting(String rule, Predicate<String> fits) {
    return new Codec<>(
        CODEC.type(),
        rule,
        (checks, path, value) -> {
          Secret secret = CODEC.reader().read(checks, path, value);
          if (secret != null && !fits.test(secret.text)) {
            checks.complain(path, JsonNodeFactory.instance.stringNode("not shown"), rule);
            return null;
          }
          return secret;
        },
        CODEC.writer(),
        CODEC.schema());
  }

  private final String text;

  /** A secret with this text. */
  public Secret(String text) {
    this.text = text;
  }

  /** Returns the text in clear. */
  public String reveal() {
    return text;
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof Secret secret && secret.text.equals(text);
  }

  @Override
  public int hashCode() {
    return Objects.hashCode(text);
  }

  /** Returns a placeholder. */
  @Override
  public String toString() {
    return "(secret)";
  }
}

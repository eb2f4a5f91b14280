package dev.reprise.delivery.secret;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reprise.delivery.secret.SecretKeys.UnreadableSecretException;
import java.util.HashSet;
import java.util.Set;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.StringLength;
import org.junit.jupiter.api.Test;

class SecretKeysTest {
  private static final String K1 = SecretKeys.newLine("k1");
  private static final String K2 = SecretKeys.newLine("k2");

  private static SecretKeys keys(String... lines) {
    return SecretKeys.parse(String.join("\n", lines), "keys.txt");
  }

  @Property(tries = 200)
  void everySecretComesBack(@ForAll @StringLength(max = 300) String secret) {
    SecretKeys keys = keys(K1);
    // UTF-8 has no halves of surrogate pairs.
    String text = secret.replaceAll("[\\ud800-\\udfff]", "x");
    assertThat(keys.open(keys.seal(text, "f"), "f")).isEqualTo(text);
  }

  @Test
  void theSameSecretIsNeverEncryptedAlike() {
    SecretKeys keys = keys(K1);
    Set<String> sealed = new HashSet<>();
    for (int i = 0; i < 1000; i++) {
      sealed.add(keys.seal("hunter2", "f"));
    }
    assertThat(sealed).hasSize(1000).noneMatch(text -> text.contains("hunter2"));
  }

  @Test
  void theFirstKeyEncryptsAndAllDecrypt() {
    String old = keys(K1).seal("hunter2", "f");
    SecretKeys both = keys("# the new one", K2, "", K1);

    assertThat(both.currentId()).isEqualTo("k2");
    assertThat(SecretKeys.idOf(both.seal("x", "f"))).isEqualTo("k2");
    assertThat(both.open(old, "f")).isEqualTo("hunter2");
    assertThatThrownBy(() -> keys(K2).open(old, "password"))
        .isInstanceOf(UnreadableSecretException.class)
        .hasMessage("secret 'password' is encrypted under key 'k1', which was not given");
  }

  @Test
  void aCommaDividesKeysInAVariable() {
    SecretKeys both = SecretKeys.parse(K2 + "," + K1, "REPRISE_SECRET_KEYS");
    assertThat(both.open(keys(K1).seal("x", "f"), "f")).isEqualTo("x");
  }

  @Test
  void aSecretIsOfNoUseForAnotherField() {
    SecretKeys keys = keys(K1);
    String sealed = keys.seal("hunter2", "http.password");
    assertThatThrownBy(() -> keys.open(sealed, "http.token"))
        .isInstanceOf(UnreadableSecretException.class)
        .hasMessageContaining("cannot be decrypted");
  }

  @Test
  void whatWasChangedIsNotDecrypted() {
    SecretKeys keys = keys(K1);
    String sealed = keys.seal("hunter2", "f");
    for (int i = 0; i < sealed.length(); i++) {
      char other = sealed.charAt(i) == 'A' ? 'B' : 'A';
      String changed = sealed.substring(0, i) + other + sealed.substring(i + 1);
      // The last character has bits that mean nothing in Base64.
      if (i < sealed.length() - 1) {
        assertThatThrownBy(() -> keys.open(changed, "f"))
            .as("character %s", i)
            .isInstanceOf(UnreadableSecretException.class);
      }
    }
  }

  @Property(tries = 500)
  void whateverIsStoredOnlyEverFailsAsUnreadable(@ForAll @StringLength(max = 80) String stored) {
    SecretKeys keys = keys(K1);
    for (String text : new String[] {stored, "v1.k1." + stored}) {
      assertThatThrownBy(() -> keys.open(text, "f")).isInstanceOf(UnreadableSecretException.class);
    }
  }

  @Test
  void anotherKeyOfTheSameNameIsNoticed() {
    String sealed = keys(K1).seal("hunter2", "f");
    assertThatThrownBy(() -> keys(SecretKeys.newLine("k1")).open(sealed, "f"))
        .isInstanceOf(UnreadableSecretException.class)
        .hasMessageContaining("key 'k1' is another one");
  }

  @Test
  void aWrongFileIsNamedWithTheLineAndNeverTheKey() {
    String key = K1.substring(3);
    assertThatThrownBy(() -> keys("# comment", key))
        .hasMessageStartingWith("keys.txt, line 2: must be the name of a key")
        .hasMessageNotContaining(key);
    assertThatThrownBy(() -> keys("k1 " + key.substring(4)))
        .hasMessage("keys.txt, line 1: has a key of 29 bytes: must have 32");
    assertThatThrownBy(() -> keys(K1, K1)).hasMessageContaining("line 2: names key 'k1' a second");
    assertThatThrownBy(() -> keys("", "# nothing")).hasMessageStartingWith("keys.txt has no key");
    assertThatThrownBy(() -> SecretKeys.newLine("a key")).hasMessageContaining("'a key' must be");
  }

  @Test
  void withoutKeysNothingIsEncrypted() {
    assertThat(SecretKeys.NONE.isEmpty()).isTrue();
    assertThatThrownBy(() -> SecretKeys.NONE.seal("x", "f"))
        .isInstanceOf(IllegalStateException.class);
  }
}

package dev.reprise.policy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.core.backoff.BackoffFunction;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** NOTIFICATION.md tells what the code does. */
class NotificationPageTest {
  private static final NotificationPolicy DOCUMENT = document();

  private static String page() {
    Path folder = Path.of("").toAbsolutePath();
    while (!Files.exists(folder.resolve("policy/NOTIFICATION.md"))) {
      folder = folder.getParent();
    }
    try {
      return Files.readString(folder.resolve("policy/NOTIFICATION.md"));
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private static NotificationPolicy document() {
    Matcher json = Pattern.compile("(?s)```json\n(.*?)```").matcher(page());
    assertThat(json.find()).isTrue();
    return PolicyDocuments.readTopic(json.group(1));
  }

  @Test
  void theDocumentOnThePageHasNineRetriesInItsBackoffStage() {
    assertThat(DOCUMENT.healthyRetryPolicyOrDefault().toBackoff().backoffRetries()).isEqualTo(9);
  }

  @ParameterizedTest
  @EnumSource
  void theTableOfDelaysIsThatOfTheFormula(BackoffFunction function) {
    String row =
        page()
            .lines()
            .filter(line -> line.startsWith("| `" + function.wireName() + "` |"))
            .findFirst()
            .orElseThrow();
    List<String> cells = Arrays.stream(row.split("\\|")).map(String::strip).toList();
    assertThat(cells.get(2)).isEqualTo(Integer.toString(function.exponent()));
    for (int retry = 1; retry <= 9; retry++) {
      long millis = new BigDecimal(cells.get(2 + retry)).movePointRight(3).longValueExact();
      assertThat(function.delayMillis(retry, 9, 20_000, 60_000)).isEqualTo(millis);
    }
  }
}

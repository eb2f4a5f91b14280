package dev.reprise.server.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.delivery.AttemptOutcome;
import dev.reprise.delivery.DeliveryState.Status;
import dev.reprise.delivery.EndpointFigures;
import dev.reprise.server.document.MinuteDocument;
import dev.reprise.server.document.PageDocument;
import dev.reprise.server.http.Cursor;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** How minutes become the items of a page. */
class MinuteOperationsTest {
  private static final long HOUR = 3_600_000;
  private static final long MINUTE = EndpointFigures.MINUTE_MILLIS;

  private static List<EndpointFigures> minutes(int count) {
    List<EndpointFigures> minutes = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      EndpointFigures figures = new EndpointFigures(i * MINUTE);
      figures.attempted(
          new AttemptOutcome(null, 200, "200 OK", "", new byte[0], i * 1_000_000L),
          Status.DELIVERED);
      figures.limit(i + 1);
      figures.waiting(i, 0);
      minutes.add(figures);
    }
    return minutes;
  }

  private static List<MinuteDocument> items(PageDocument page) {
    return page.items().stream().map(MinuteDocument.class::cast).toList();
  }

  @Test
  void minutesOfOneSpanAreAddedUp() {
    List<MinuteDocument> items = items(MinuteOperations.page(minutes(90), HOUR, 50, false));

    assertThat(items).hasSize(2);
    assertThat(items.get(0).attempts()).isEqualTo(60);
    assertThat(items.get(0).minLimit()).isEqualTo(1);
    assertThat(items.get(0).limit()).isEqualTo(60);
    assertThat(items.get(0).pending()).isEqualTo(59);
    assertThat(items.get(0).outcomes()).containsExactly(Map.entry("2xx", 60));
    assertThat(items.get(1).at()).isEqualTo("1970-01-01T01:00:00.000Z");
    assertThat(items.get(1).attempts()).isEqualTo(30);
  }

  @Test
  void aPageGoesOnWithTheSpanThatItLeavesOut() {
    PageDocument page = MinuteOperations.page(minutes(10), MINUTE, 4, false);

    assertThat(items(page)).extracting(MinuteDocument::pending).containsExactly(0L, 1L, 2L, 3L);
    assertThat(page.next()).isEqualTo(Cursor.of('m').number(4 * MINUTE).toString());
    assertThat(MinuteOperations.page(minutes(4), MINUTE, 4, false).next()).isNull();
  }

  @Test
  void aSpanThatIsPerhapsNotWholeIsLeftForTheNextPage() {
    PageDocument page = MinuteOperations.page(minutes(70), HOUR, 50, true);

    assertThat(items(page)).hasSize(1);
    assertThat(page.next()).isEqualTo(Cursor.of('m').number(HOUR).toString());
  }
}

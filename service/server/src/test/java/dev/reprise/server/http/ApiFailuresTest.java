package dev.reprise.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.delivery.catalog.ConflictException;
import dev.reprise.delivery.catalog.NotFoundException;
import dev.reprise.delivery.store.StoreException;
import java.util.Map;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;

class ApiFailuresTest {
  private static void check(
      Throwable thrown, int status, String code, Map<String, String> headers) {
    ApiError error = ApiFailures.toError(new CompletionException(thrown));
    assertThat(error.status()).isEqualTo(status);
    assertThat(error.code()).isEqualTo(code);
    assertThat(error.headers()).isEqualTo(headers);
  }

  @Test
  void fullDiskIsToldFromAnUnavailableOne() {
    check(new StoreException("full", true, null), 507, "storage_full", Map.of());
    check(
        new StoreException("broken", false, null),
        503,
        "storage_unavailable",
        Map.of("Retry-After", "5"));
  }

  @Test
  void contradictionAndAbsenceAreToldApart() {
    check(new ConflictException("c"), 409, "conflict", Map.of());
    check(new NotFoundException("topic", "t"), 404, "not_found", Map.of());
  }

  @Test
  void mistakeOfOursGivesAnIdAndNoDetails() {
    ApiError error = ApiFailures.toError(new IllegalStateException("secret detail"));
    assertThat(error.status()).isEqualTo(500);
    assertThat(error.message()).doesNotContain("secret").containsPattern("[0-9a-f-]{36}");
  }
}

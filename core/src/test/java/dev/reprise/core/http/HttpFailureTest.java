package dev.reprise.core.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reprise.core.ErrorFault;
import dev.reprise.core.RetrySafety;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class HttpFailureTest {
  @ParameterizedTest
  @CsvSource({
    // code, hint seconds, safe, throttle, timeout, fault, text
    "500,    , MAYBE, false, false, SERVER, 500 Internal Server Error",
    "501,    , MAYBE, false, false, SERVER, 501 Not Implemented",
    "502,    , MAYBE, false, false, SERVER, 502 Bad Gateway",
    "503,    , MAYBE, false, false, SERVER, 503 Service Unavailable",
    "503, 120, YES,   true,  false, SERVER, 503 Service Unavailable",
    "500, 120, MAYBE, false, false, SERVER, 500 Internal Server Error",
    "504,    , MAYBE, false, true,  SERVER, 504 Gateway Timeout",
    "599,    , MAYBE, false, false, SERVER, 599",
    "429,    , YES,   true,  false, CLIENT, 429 Too Many Requests",
    "429, 120, YES,   true,  false, CLIENT, 429 Too Many Requests",
    "408,    , MAYBE, false, true,  CLIENT, 408 Request Timeout",
    "421,    , YES,   false, false, CLIENT, 421 Misdirected Request",
    "425,    , YES,   false, false, CLIENT, 425 Too Early",
    "425, 120, YES,   false, false, CLIENT, 425 Too Early",
    "400,    , NO,    false, false, CLIENT, 400 Bad Request",
    "404, 120, NO,    false, false, CLIENT, 404 Not Found",
    "410,    , NO,    false, false, CLIENT, 410 Gone",
    "499,    , NO,    false, false, CLIENT, 499",
    "301, 120, NO,    false, false, OTHER,  301 Moved Permanently",
    "308,    , NO,    false, false, OTHER,  308 Permanent Redirect",
    "100,    , NO,    false, false, OTHER,  100 Continue",
    "600,    , MAYBE, false, false, SERVER, 600",
    "999,    , MAYBE, false, false, SERVER, 999",
    "1000,   , NO,    false, false, OTHER,  1000",
    "0,      , NO,    false, false, OTHER,  0"
  })
  void statusCodes(
      int code,
      Integer hintSeconds,
      RetrySafety safety,
      boolean throttle,
      boolean timeout,
      ErrorFault fault,
      String text) {
    Duration hint = hintSeconds == null ? null : Duration.ofSeconds(hintSeconds);

    HttpFailure failure = HttpFailure.status(code, hint);

    assertThat(failure.isRetrySafe()).isEqualTo(safety);
    assertThat(failure.isThrottle()).isEqualTo(throttle);
    assertThat(failure.isTimeout()).isEqualTo(timeout);
    assertThat(failure.fault()).isEqualTo(fault);
    assertThat(failure.retryAfter()).isEqualTo(hint);
    assertThat(failure.describe()).isEqualTo(text);
  }

  @ParameterizedTest
  @ValueSource(ints = {200, 201, 204, 299})
  void successIsNoFailure(int code) {
    assertThat(HttpFailure.isSuccess(code)).isTrue();
    assertThatThrownBy(() -> HttpFailure.status(code, null))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("status is " + code + ": 2xx is not a failure");
  }

  @ParameterizedTest
  @ValueSource(ints = {-1, 0, 100, 199, 300, 404, 500, 1200})
  void onlyTwoHundredsAreSuccess(int code) {
    assertThat(HttpFailure.isSuccess(code)).isFalse();
  }

  @Test
  void timeoutMayHaveTakenEffect() {
    HttpFailure failure = HttpFailure.timeout(Duration.ofSeconds(15));

    assertThat(failure.isRetrySafe()).isEqualTo(RetrySafety.MAYBE);
    assertThat(failure.isTimeout()).isTrue();
    assertThat(failure.fault()).isEqualTo(ErrorFault.OTHER);
    assertThat(failure.describe()).isEqualTo("timeout after 15 s");
    assertThat(HttpFailure.timeout(Duration.ofMillis(1500)).describe())
        .isEqualTo("timeout after 1500 ms");
    assertThat(HttpFailure.timeout().describe()).isEqualTo("timeout");
  }

  @Test
  void connectionErrorIsSafeOnlyWhenNothingWasSent() {
    HttpFailure never = HttpFailure.connectionError("connection refused", true);
    HttpFailure perhaps = HttpFailure.connectionError("connection reset", false);

    assertThat(never.isRetrySafe()).isEqualTo(RetrySafety.YES);
    assertThat(never.describe()).isEqualTo("connection refused");
    assertThat(perhaps.isRetrySafe()).isEqualTo(RetrySafety.MAYBE);
    assertThat(perhaps.isTimeout()).isFalse();
    assertThat(perhaps.fault()).isEqualTo(ErrorFault.OTHER);
  }

  @Test
  void forbiddenAddressIsPermanentAlthoughNothingWasSent() {
    HttpFailure failure = HttpFailure.refused("169.254.169.254 is a link-local address");

    assertThat(failure.isRetrySafe()).isEqualTo(RetrySafety.NO);
    assertThat(failure.fault()).isEqualTo(ErrorFault.CLIENT);
    assertThat(failure.describe()).isEqualTo("169.254.169.254 is a link-local address");
  }

  @Test
  void describesOnOneLineWhateverTheNetworkSaid() {
    assertThat(
            HttpFailure.connectionError("bad\r\nSet-Cookie: a\u2028b\u001b[31m", false).describe())
        .isEqualTo("bad Set-Cookie: a b [31m");
    assertThat(HttpFailure.connectionError("", false).describe()).isEqualTo("connection error");
    assertThat(HttpFailure.refused(" ").describe()).isEqualTo("address refused");
  }
}

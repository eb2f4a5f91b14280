package dev.reprise.spring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.core.RetrySafety;
import dev.reprise.core.classify.Classifier;
import dev.reprise.core.classify.Verdict;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.springframework.http.HttpHeaders;
import org.springframework.web.client.RestClientResponseException;

class HttpStatusRuleTest {
  private static Verdict verdict(HttpHeaders headers) {
    return Classifier.defaults()
        .with(new HttpStatusRule())
        .classify(
            new RestClientResponseException(
                "busy", 503, "Service Unavailable", headers, new byte[0], StandardCharsets.UTF_8));
  }

  @Test
  void aDateThatIsNoneIsAsIfItWereNotThere() {
    HttpHeaders headers = new HttpHeaders();
    headers.set("Date", "yesterday, more or less");
    headers.set("Retry-After", "40");
    Verdict verdict = verdict(headers);
    assertThat(verdict.isRetrySafe()).isNotEqualTo(RetrySafety.NO);
    assertThat(verdict.retryAfter()).isEqualTo(Duration.ofSeconds(40));
  }

  @Test
  void aHintThatIsADateIsCountedFromTheClockOfTheService() {
    HttpHeaders headers = new HttpHeaders();
    headers.set("Date", "Sun, 06 Nov 1994 08:49:37 GMT");
    headers.set("Retry-After", "Sun, 06 Nov 1994 08:50:00 GMT");
    assertThat(verdict(headers).retryAfter()).isEqualTo(Duration.ofSeconds(23));
  }

  @Test
  void theLongestOfSeveralHintsCounts() {
    HttpHeaders headers = new HttpHeaders();
    headers.add("Retry-After", "2");
    headers.add("Retry-After", "soon");
    headers.add("Retry-After", "40");
    headers.add("Retry-After", "7");
    assertThat(verdict(headers).retryAfter()).isEqualTo(Duration.ofSeconds(40));
  }

  @Test
  void aHintThatIsNoneIsNoHint() {
    HttpHeaders headers = new HttpHeaders();
    headers.set("Retry-After", "soon");
    assertThat(verdict(headers).retryAfter()).isNull();
  }
}

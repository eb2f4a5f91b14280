package dev.reprise.examples.spring;

import dev.reprise.spring.RetryWith;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.stereotype.Component;
import org.springframework.web.client.RestClient;

// @start region=client
@Component
class QuoteClient {
  private final RestClient client;

  QuoteClient(@Value("${quotes.url}") String url) {
    this.client = RestClient.create(url);
  }

  @RetryWith("quotes")
  @Nullable String quote() {
    return client.get().retrieve().body(String.class);
  }
}
// @end

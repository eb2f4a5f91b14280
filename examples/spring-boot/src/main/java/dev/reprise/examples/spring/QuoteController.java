package dev.reprise.examples.spring;

import org.jspecify.annotations.Nullable;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** Answers with a quote. */
@RestController
class QuoteController {
  private final QuoteClient client;

  QuoteController(QuoteClient client) {
    this.client = client;
  }

  @GetMapping("/quote")
  @Nullable String quote() {
    return client.quote();
  }
}

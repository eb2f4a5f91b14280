package dev.reprise.cli.service;

import dev.reprise.cli.base.ApiClient;
import dev.reprise.cli.base.CommandFailure;
import dev.reprise.server.document.ProbeDocument;
import java.time.Duration;
import tools.jackson.databind.JsonNode;

/**
 * The state of a service as it says: whether it is as asked, and why not.
 *
 * @param good whether it is as asked
 * @param answer the document that it answered with
 */
record HealthProbe(boolean good, JsonNode answer) {
  /** A question to a service, with the words of its two answers. */
  enum Question {
    LIVE("/health/live", ProbeDocument.LIVE, ProbeDocument.FAILED),
    READY("/health/ready", ProbeDocument.READY, ProbeDocument.NOT_READY);

    private final String path;
    private final String yes;
    private final String no;

    Question(String path, String yes, String no) {
      this.path = path;
      this.yes = yes;
      this.no = no;
    }
  }

  /**
   * Asks. That a service is not as asked is an answer as well, with status 503.
   *
   * @param most how long the whole may take
   * @throws CommandFailure when the service cannot be reached, or something else answers
   */
  static HealthProbe ask(ApiClient client, Question question, Duration most) {
    ApiClient.Response answer = client.ask(question.path, most);
    JsonNode body = answer.json();
    // Other servers have such a path and such a field too, with words of their own.
    String word = body == null ? "" : body.path("status").asString("");
    if (body != null && answer.status() == 200 && word.equals(question.yes)) {
      return new HealthProbe(true, body);
    }
    if (body != null && answer.status() == 503 && word.equals(question.no)) {
      return new HealthProbe(false, body);
    }
    if (body != null && body.path("error").path("message").isString()) {
      throw client.refused(answer, body);
    }
    boolean ofGateway =
        switch (answer.status()) {
          case 407, 502, 503, 504 -> word.isEmpty();
          default -> false;
        };
    throw ofGateway ? client.ofGateway(answer) : client.stranger();
  }
}

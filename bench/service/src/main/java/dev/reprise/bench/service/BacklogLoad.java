package dev.reprise.bench.service;

/** Publishes many messages as fast as one connection can. */
final class BacklogLoad {
  private BacklogLoad() {}

  static void publish(ServiceProcess service, String topic, int messages, int perRequest)
      throws Exception {
    StringBuilder lines = new StringBuilder();
    for (int i = 0; i < messages; i++) {
      lines.append(Messages.publish(i)).append('\n');
      if ((i + 1) % perRequest == 0 || i + 1 == messages) {
        String answer =
            service.send(
                "POST",
                "/v1/topics/" + topic + "/messages",
                "application/x-ndjson",
                lines.toString());
        if (answer.contains("\"error\"")) {
          throw new IllegalStateException("a publish was refused: " + answer);
        }
        lines.setLength(0);
      }
    }
  }
}

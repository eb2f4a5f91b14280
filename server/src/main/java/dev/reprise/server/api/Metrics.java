package dev.reprise.server.api;

/** What the service counts and measures. */
public final class Metrics {
  /** A publish under way. */
  static final class Publish {
    void accepted(int deliveries, boolean repeated) {}

    void failed() {}
  }

  Publish publishStarted() {
    return new Publish();
  }
}

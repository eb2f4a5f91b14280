package dev.reprise.delivery.shard;

/** The numbers of attempts under way, by the pace of their subscriptions. */
final class PaceCounts {
  private int prompt;
  private int others;
  private int hanging;

  int all() {
    return prompt + others;
  }

  int prompt() {
    return prompt;
  }

  /** Those that are new, slow or hanging. */
  int others() {
    return others;
  }

  int hanging() {
    return hanging;
  }

  void add(Pace pace, int count) {
    switch (pace) {
      case PROMPT -> prompt += count;
      case UNKNOWN, SLOW -> others += count;
      case HANGING -> {
        others += count;
        hanging += count;
      }
    }
  }

  /** {@code count} attempts are of a subscription whose pace has changed. */
  void moved(int count, Pace from, Pace to) {
    add(from, -count);
    add(to, count);
  }
}

package dev.reprise.libraries;

/**
 * How long a client waits. Only the time-out that a test is about is short, so that no other one
 * ends first on a machine that stands still.
 *
 * @param connectMillis for a connection
 * @param answerMillis for an answer
 */
record Patience(int connectMillis, int answerMillis) {
  static final int SHORT = 300;
  static final int LONG = 300_000;

  static final Patience ENDLESS = new Patience(LONG, LONG);
  static final Patience TO_CONNECT = new Patience(SHORT, LONG);
  static final Patience FOR_ANSWER = new Patience(LONG, SHORT);
}

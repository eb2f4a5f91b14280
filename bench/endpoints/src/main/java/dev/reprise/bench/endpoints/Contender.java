package dev.reprise.bench.endpoints;

/** One of the two sides of a comparison: sends messages, and waits until the last was taken. */
interface Contender {
  /**
   * Sends messages, as many at a time as both sides may.
   *
   * @throws Exception when one was not taken
   */
  void send(int messages) throws Exception;
}

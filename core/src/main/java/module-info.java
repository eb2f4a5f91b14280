/**
 * The vocabulary of retries, backoffs and HTTP failures as retry facts. Needs nothing but the JDK.
 */
module dev.reprise.core {
  requires static org.jspecify;

  exports dev.reprise.core;
  exports dev.reprise.core.http;
}

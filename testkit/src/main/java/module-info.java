/** Virtual time and scripted failures for tests of code that retries. */
module dev.reprise.testkit {
  requires transitive dev.reprise.core;
  requires static org.jspecify;

  exports dev.reprise.testkit;
}

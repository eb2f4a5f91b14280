/** Policy documents, presets and the schedule preview. */
module dev.reprise.policy {
  requires transitive dev.reprise.core;
  requires static org.jspecify;
  requires tools.jackson.databind;
}

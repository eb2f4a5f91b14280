/** Policy documents, presets and the schedule preview. */
module dev.reprise.policy {
  requires transitive dev.reprise.core;
  requires dev.reprise.common;
  requires transitive tools.jackson.databind;
  requires static org.jspecify;

  exports dev.reprise.policy;
  exports dev.reprise.policy.document;
  exports dev.reprise.policy.preview;
}

/**
 * The base class of the exceptions that are generated from a Smithy model, and the reading of the
 * responses that they are made of.
 */
module dev.reprise.smithy.runtime {
  requires transitive dev.reprise.core;
  requires static org.jspecify;
  requires tools.jackson.core;

  exports dev.reprise.smithy.runtime;
}

/**
 * Signatures of webhooks as Standard Webhooks has them: signing, verifying, and telling repetitions
 * from news. Needs nothing but the JDK.
 */
module dev.reprise.webhook {
  requires static org.jspecify;

  exports dev.reprise.webhook;
}

/** What several modules of Reprise need and users do not. Needs nothing but the JDK. */
module dev.reprise.common {
  requires static org.jspecify;

  exports dev.reprise.common.file;
  exports dev.reprise.common.text;
}

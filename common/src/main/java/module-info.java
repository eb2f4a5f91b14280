/** Classes that several modules of Reprise share and users do not need; requires only the JDK. */
module dev.reprise.common {
  requires static org.jspecify;

  exports dev.reprise.common.file;
  exports dev.reprise.common.order;
  exports dev.reprise.common.pem;
  exports dev.reprise.common.process;
  exports dev.reprise.common.text;
}

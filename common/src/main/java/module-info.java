/**
 * Classes that several modules of Reprise share and users do not need. Requires only the JDK; the
 * packages amqp and socket also need protonj2, Netty and SLF4J, which the modules that use them
 * bring along.
 */
// protonj2 has a name for modules, in its manifest, and no descriptor.
@SuppressWarnings("requires-automatic")
module dev.reprise.common {
  requires static io.netty.buffer;
  requires static io.netty.common;
  requires static io.netty.handler;
  requires static io.netty.transport;
  requires static org.apache.qpid.protonj2;
  requires static org.jspecify;
  requires static org.slf4j;

  exports dev.reprise.common.amqp;
  exports dev.reprise.common.file;
  exports dev.reprise.common.order;
  exports dev.reprise.common.pem;
  exports dev.reprise.common.process;
  exports dev.reprise.common.socket;
  exports dev.reprise.common.text;
}

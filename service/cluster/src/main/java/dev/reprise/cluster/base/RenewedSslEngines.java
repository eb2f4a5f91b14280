package dev.reprise.cluster.base;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.security.KeyStore;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import javax.net.ssl.SSLEngine;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.security.auth.SslEngineFactory;
import org.apache.kafka.common.security.ssl.DefaultSslEngineFactory;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Kafka's TLS, which reads its files of certificates and keys again when they have changed, so that
 * a node outlives its certificate. Looks at them with each new connection; as long as a new file is
 * of no use, the former goes on. Created by Kafka. Safe for use by many threads.
 */
public final class RenewedSslEngines implements SslEngineFactory {
  private static final Logger LOG = LoggerFactory.getLogger(RenewedSslEngines.class);

  /** The settings of Kafka that name files. */
  private static final List<String> FILES =
      List.of("ssl.keystore.location", "ssl.truststore.location");

  private Map<String, ?> configs = Map.of();
  private DefaultSslEngineFactory engines = new DefaultSslEngineFactory();

  /** The files as they were when they were last read. */
  private List<State> read = List.of();

  /** One version of a file; null times and sizes for one that cannot be looked at. */
  private record State(Path file, @Nullable Object modified, long bytes) {}

  /** Creates a factory that is yet to be configured. */
  public RenewedSslEngines() {}

  @Override
  public synchronized void configure(Map<String, ?> given) {
    configs = given;
    read = states();
    engines.configure(given);
  }

  private List<State> states() {
    List<State> states = new ArrayList<>();
    for (String name : FILES) {
      if (configs.get(name) instanceof String text) {
        states.add(state(text));
      }
    }
    return states;
  }

  private static State state(String text) {
    Path file = Path.of("");
    try {
      file = Path.of(text);
      BasicFileAttributes now = Files.readAttributes(file, BasicFileAttributes.class);
      return new State(file, now.lastModifiedTime(), now.size());
    } catch (IOException | InvalidPathException e) {
      // In the middle of a replacement it is missing.
      return new State(file, null, -1);
    }
  }

  private DefaultSslEngineFactory current() {
    List<State> now = states();
    if (now.equals(read) || now.stream().anyMatch(each -> each.modified() == null)) {
      return engines;
    }
    List<State> changed = new ArrayList<>(now);
    changed.removeAll(read);
    read = now;
    DefaultSslEngineFactory fresh = new DefaultSslEngineFactory();
    try {
      fresh.configure(configs);
      engines.close();
      engines = fresh;
      LOG.info("took the new certificates for the brokers in {}", files(changed));
    } catch (KafkaException e) {
      fresh.close();
      Throwable cause = e.getCause();
      LOG.warn(
          "the former certificates for the brokers stay: {} cannot be used: {}",
          files(changed),
          cause == null ? e.getMessage() : cause.getMessage());
    }
    return engines;
  }

  private static String files(List<State> states) {
    return String.join(
        " and ", states.stream().map(each -> each.file().toString()).distinct().toList());
  }

  @Override
  public synchronized SSLEngine createClientSslEngine(
      String peerHost, int peerPort, String endpointIdentification) {
    return current().createClientSslEngine(peerHost, peerPort, endpointIdentification);
  }

  @Override
  public synchronized SSLEngine createServerSslEngine(String peerHost, int peerPort) {
    return current().createServerSslEngine(peerHost, peerPort);
  }

  @Override
  public synchronized boolean shouldBeRebuilt(Map<String, Object> nextConfigs) {
    return engines.shouldBeRebuilt(nextConfigs);
  }

  @Override
  public synchronized Set<String> reconfigurableConfigs() {
    return engines.reconfigurableConfigs();
  }

  @Override
  public synchronized @Nullable KeyStore keystore() {
    return current().keystore();
  }

  @Override
  public synchronized @Nullable KeyStore truststore() {
    return current().truststore();
  }

  @Override
  public synchronized void close() {
    engines.close();
  }
}

package dev.reprise.device.error;

import java.io.IOException;
import java.security.cert.CRLException;
import java.security.cert.CertPathBuilderException;
import java.security.cert.CertPathValidatorException;
import java.security.cert.CertPathValidatorException.BasicReason;
import java.security.cert.CertificateException;
import java.security.cert.CertificateNotYetValidException;
import java.util.List;
import java.util.regex.Pattern;
import javax.crypto.BadPaddingException;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLPeerUnverifiedException;
import org.jspecify.annotations.Nullable;

/** Tells failures of TLS from those of the connection under it. */
final class TlsFailures {
  /** The alerts of RFC 8446, section 6, by which the other side refuses our certificate. */
  private static final Pattern CERTIFICATE_ALERT =
      Pattern.compile(
          "bad_certificate|unsupported_certificate|certificate_revoked|certificate_expired"
              + "|certificate_unknown|certificate_required|no_certificate"
              + "|unknown_ca|access_denied|unknown_psk_identity");

  /** The words of a C library that refuses the certificate of the other side. */
  private static final Pattern UNTRUSTED = Pattern.compile("certificate_verify_failed");

  /** The other side failed: no fault is found with what we sent. */
  private static final Pattern SERVER_ALERT =
      Pattern.compile("received fatal alert: internal_error|alert_internal_error");

  /** No common cipher or name, as far as this server knows now. */
  private static final Pattern REFUSED =
      Pattern.compile(
          "received fatal alert: (handshake_failure|unrecognized_name)"
              + "|alert_handshake_failure|tlsv1_(alert_)?unrecognized_name");

  /** Netty, the JDK, and a library of C in that order. */
  private static final Pattern NO_TLS =
      Pattern.compile("not an ssl|unrecognized ssl message|wrong_version_number");

  private static final Pattern CORRUPTED = Pattern.compile("bad_record_mac|tag mismatch");

  private static final Pattern CLOSED =
      Pattern.compile(
          "remote host terminated the handshake|close_notify|connection closed while|closed"
              + " already");

  private static final Pattern RESET = Pattern.compile("connection reset|broken pipe");

  private TlsFailures() {}

  /** Returns the code of a failure of TLS, or null when TLS is not to blame. */
  static @Nullable String code(List<Throwable> chain) {
    // The certificate may be good: the service that knows whether it was revoked did not answer.
    if (chain.stream().anyMatch(TlsFailures::leavesRevocationOpen)) {
      return "io-error";
    }

    // The clock of a device without a battery begins anew, and is set when it has a network.
    if (chain.stream().anyMatch(TlsFailures::isNotYetValid)) {
      return "tls-certificate-not-yet-valid";
    }

    // Only what is checked here fails so, and here the certificate of the other side is checked.
    if (chain.stream().anyMatch(TlsFailures::isAboutCertificate) || says(chain, UNTRUSTED)) {
      return "tls-server-certificate";
    }

    int innermost = innermost(chain);
    if (innermost < 0) {
      return null;
    }

    // The connection under TLS failed, and its exception tells more.
    if (chain.subList(innermost + 1, chain.size()).stream()
        .anyMatch(IOException.class::isInstance)) {
      return null;
    }

    // An alert of TLS 1.3 about our certificate comes after the handshake, wrapped as anything.
    if (says(chain, CERTIFICATE_ALERT)) {
      return "tls-handshake-certificate";
    }

    // The line or a faulty device on it changes bytes; the next connection has new keys.
    if (says(chain, CORRUPTED) || chain.stream().anyMatch(BadPaddingException.class::isInstance)) {
      return "tls-corrupted";
    }

    if (says(chain, SERVER_ALERT)) {
      return "tls-server-error";
    }

    // A load balancer whose servers are being exchanged answers so, for a while.
    if (says(chain, REFUSED)) {
      return "tls-refused";
    }

    // The server does not speak TLS: a portal, or a proxy whose server is not up yet.
    if (says(chain, NO_TLS)) {
      return "unreadable-answer";
    }

    // The other side went away in the middle of it.
    if (says(chain, RESET)) {
      return "connection-reset";
    }
    if (says(chain, CLOSED)) {
      return "connection-closed";
    }

    // So Netty ends a handshake that takes too long.
    if (CauseChain.message(chain.get(innermost)).contains("timed out")) {
      return "connect-timeout";
    }

    // No common version, or a mistake in the protocol: so it will be next time.
    return "tls-handshake";
  }

  private static boolean leavesRevocationOpen(Throwable link) {
    return link instanceof CertPathValidatorException path
        && path.getReason() == BasicReason.UNDETERMINED_REVOCATION_STATUS;
  }

  private static boolean isNotYetValid(Throwable link) {
    return link instanceof CertificateNotYetValidException
        || (link instanceof CertPathValidatorException path
            && path.getReason() == BasicReason.NOT_YET_VALID);
  }

  private static boolean isAboutCertificate(Throwable link) {
    return link instanceof CertificateException
        || link instanceof CertPathValidatorException
        || link instanceof CertPathBuilderException
        || link instanceof CRLException
        || link instanceof SSLPeerUnverifiedException;
  }

  private static int innermost(List<Throwable> chain) {
    for (int i = chain.size() - 1; i >= 0; i--) {
      if (chain.get(i) instanceof SSLException) {
        return i;
      }
    }
    return -1;
  }

  private static boolean says(List<Throwable> chain, Pattern words) {
    return chain.stream()
        .filter(SSLException.class::isInstance)
        .anyMatch(link -> words.matcher(CauseChain.message(link)).find());
  }
}

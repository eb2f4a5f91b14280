package dev.reprise.core.classify;

import java.io.IOException;

/**
 * The default rules, in order: the first one that knows a throwable decides. They are static calls,
 * and their verdicts are constants, so that the usual failure costs a few nanoseconds and no
 * garbage.
 */
final class DefaultRules {
  private static final Module JAVA_BASE = Object.class.getModule();

  // Both modules are optional: an image made by jlink may lack them, and then their exceptions
  // cannot occur. To look for them takes milliseconds, so that is done when a failure may be of
  // one. The classes of these rules are linked only when they are first called.

  /** Whether there is java.sql. */
  private static final class Sql {
    static final boolean IS_PRESENT = isPresent("java.sql.SQLException");
  }

  /** Whether there is java.net.http. */
  private static final class HttpClient {
    static final boolean IS_PRESENT = isPresent("java.net.http.HttpTimeoutException");
  }

  private DefaultRules() {}

  /** Returns the verdict on this throwable alone, {@link Verdict#UNKNOWN} when no rule knows it. */
  static Verdict of(Throwable failure) {
    Verdict said = InfoRule.of(failure);
    if (said.isKnown()) {
      return said;
    }
    if (failure instanceof IOException io) {
      return ofIo(io);
    }
    if (!isOfJavaBase(failure) && Sql.IS_PRESENT) {
      Verdict sql = SqlRule.of(failure);
      if (sql.isKnown()) {
        return sql;
      }
    }
    return OtherRule.of(failure);
  }

  private static Verdict ofIo(IOException failure) {
    // The most frequent one first; it has no subclass that the other rules could know.
    if (failure.getClass() == IOException.class) {
      return NetworkRule.ofPlain(failure);
    }
    Verdict tls = TlsRule.of(failure);
    if (tls.isKnown()) {
      return tls;
    }
    Verdict data = DataRule.of(failure);
    if (data.isKnown()) {
      return data;
    }
    if (mayBeOfHttpClient(failure)) {
      Verdict http = HttpClientRule.of(failure);
      if (http.isKnown()) {
        return http;
      }
    }
    return NetworkRule.of(failure);
  }

  /** Whether a failure could be one of java.net.http. */
  static boolean mayBeOfHttpClient(Throwable failure) {
    return !isOfJavaBase(failure) && HttpClient.IS_PRESENT;
  }

  /** Its exceptions extend those of no other module. */
  private static boolean isOfJavaBase(Throwable failure) {
    return failure.getClass().getModule() == JAVA_BASE;
  }

  private static boolean isPresent(String className) {
    try {
      Class.forName(className, false, DefaultRules.class.getClassLoader());
      return true;
    } catch (ClassNotFoundException absent) {
      return false;
    }
  }
}

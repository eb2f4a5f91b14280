package dev.reprise.device.error;

import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A failure and its causes, from the outside in. */
final class CauseChain {
  private static final int MAX_THROWABLES = 32;

  private CauseChain() {}

  /** Returns the chain, which ends where it comes back to itself, and at 32 throwables. */
  static List<Throwable> of(@Nullable Throwable failure) {
    List<Throwable> chain = new ArrayList<>();
    Set<Throwable> seen = Collections.newSetFromMap(new IdentityHashMap<>());
    Throwable link = failure;
    while (link != null && chain.size() < MAX_THROWABLES && seen.add(link)) {
      chain.add(link);
      link = link.getCause();
    }
    return chain;
  }

  /** Returns the message in lower case, empty when there is none. */
  static String message(Throwable link) {
    String message = link.getMessage();
    return message == null ? "" : Codes.lowerCase(message);
  }

  /** Returns the outermost failure and the innermost cause in words, or null for no failure. */
  static @Nullable String describe(List<Throwable> chain) {
    if (chain.isEmpty()) {
      return null;
    }
    String outermost = describe(chain.get(0));
    return chain.size() == 1
        ? outermost
        : outermost + ", caused by " + describe(chain.get(chain.size() - 1));
  }

  private static String describe(Throwable link) {
    String type = link.getClass().getName();
    String shortType = type.substring(type.lastIndexOf('.') + 1);
    String message = link.getMessage();
    return message == null || message.isBlank() ? shortType : shortType + " " + message;
  }
}

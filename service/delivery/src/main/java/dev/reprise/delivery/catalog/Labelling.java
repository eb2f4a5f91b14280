package dev.reprise.delivery.catalog;

import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * By what people and programs of the operator recognize a subscription. Delivery does not depend on
 * it, and nothing of it is secret: it is shown wherever the subscription is, and in operator
 * events.
 *
 * @param name for people; null for none
 * @param labels texts under keys, in the order of the keys
 * @param customer the id of the operator's customer whose endpoint it is, which several
 *     subscriptions may share; null for none
 */
public record Labelling(
    @Nullable String name, Map<String, String> labels, @Nullable String customer) {
  /** Of a subscription to which nothing of it was given. */
  public static final Labelling NONE = new Labelling(null, Map.of(), null);

  /** The most characters of {@link #name}. */
  public static final int MAX_NAME = 100;

  /** The most {@link #labels}. */
  public static final int MAX_LABELS = 20;

  /** The most characters of a label's key. */
  public static final int MAX_KEY = 63;

  /** The most characters of a label's value. */
  public static final int MAX_VALUE = 255;

  /** The most characters of {@link #customer}. */
  public static final int MAX_CUSTOMER = 200;

  /** A label's key. It has neither '=' nor ':', which part it from the value in a search. */
  static final Pattern KEY = Pattern.compile("[A-Za-z0-9._/-]{1," + MAX_KEY + "}");

  /** Copies the labels. */
  public Labelling {
    labels = Collections.unmodifiableMap(new TreeMap<>(labels));
  }
}

package dev.reprise.server.search;

import dev.reprise.delivery.catalog.Labelling;
import dev.reprise.server.http.ApiException;
import dev.reprise.server.http.Query;
import dev.reprise.server.http.RequestFields;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The parameters of a list of subscriptions that ask for a customer and for labels: a subscription
 * that has all of them is listed.
 *
 * @param customer equal to the subscription's; null for any
 * @param labels each of which the subscription has
 */
public record LabellingFilter(@Nullable String customer, List<Label> labels) {
  /** The parameter of a label, which may be repeated. */
  public static final String LABEL = "label";

  /** A key and its whole value. */
  public record Label(String key, String value) {
    /** Reads {@code key=value} or {@code key:value}; no key has either sign. */
    static Label of(String text) {
      for (int i = 0; i < text.length(); i++) {
        char c = text.charAt(i);
        if (c == '=' || c == ':') {
          return new Label(text.substring(0, i), text.substring(i + 1));
        }
      }
      throw ApiException.invalid(
          LABEL, RequestFields.shortened(text), "must be a key and a value, such as team=billing");
    }
  }

  /** Reads the parameters {@code customer} and {@code label}; without them, all are listed. */
  public static LabellingFilter of(Query query) {
    List<String> texts = query.texts(LABEL);
    if (texts.size() > Labelling.MAX_LABELS) {
      throw ApiException.invalid(
          LABEL,
          texts.size() + " times",
          "must be given at most " + Labelling.MAX_LABELS + " times");
    }
    return new LabellingFilter(query.text("customer"), texts.stream().map(Label::of).toList());
  }

  /** Returns true if a subscription with this labelling is listed. */
  public boolean holds(Labelling labelling) {
    return (customer == null || customer.equals(labelling.customer()))
        && labels.stream()
            .allMatch(label -> label.value().equals(labelling.labels().get(label.key())));
  }

  /** Returns true if the name, the customer or the value of a label has a text. */
  public static boolean isFound(SearchText search, Labelling labelling) {
    String name = labelling.name();
    String customer = labelling.customer();
    return (name != null && search.isIn(name))
        || (customer != null && search.isIn(customer))
        || labelling.labels().values().stream().anyMatch(search::isIn);
  }
}

package dev.reprise.server.http;

import dev.reprise.policy.document.Violation;
import io.vertx.core.MultiMap;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The parameters of a query. One that is not known is refused, not passed over. */
public final class Query {
  /** The number of items of a page unless the client says otherwise. */
  static final int DEFAULT_LIMIT = 50;

  public static final int MAX_LIMIT = 1000;

  private final MultiMap parameters;

  Query(MultiMap parameters, List<String> known, List<String> repeatable) {
    this.parameters = parameters;
    List<Violation> violations = new ArrayList<>(0);
    for (String name : parameters.names()) {
      if (violations.size() > ApiError.MAX_VIOLATIONS) {
        break;
      }
      List<String> values = parameters.getAll(name);
      String value = RequestFields.shortened(String.join(", ", values));
      if (!known.contains(name)) {
        violations.add(
            new Violation(
                RequestFields.shortened(name),
                value,
                known.isEmpty()
                    ? "is not a parameter; there are none"
                    : "is not a parameter; parameters are " + String.join(", ", known)));
      } else if (values.size() > 1 && !repeatable.contains(name)) {
        violations.add(new Violation(name, value, "must be given once"));
      }
    }
    if (!violations.isEmpty()) {
      throw new ApiException(ApiError.invalid(violations));
    }
  }

  public @Nullable String text(String name) {
    return parameters.get(name);
  }

  /**
   * Returns the values of a parameter that may be repeated, in their order; none if it is absent.
   */
  public List<String> texts(String name) {
    return parameters.getAll(name);
  }

  public int limit() {
    return limit(DEFAULT_LIMIT);
  }

  public int limit(int otherwise) {
    return RequestFields.integer(text("limit"), "limit", otherwise, MAX_LIMIT);
  }

  public @Nullable String cursor() {
    return text("cursor");
  }
}

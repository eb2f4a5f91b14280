package dev.reprise.endpoints.aws;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A queue of SQS, given by its name, its ARN or its URL. Of a URL only account and name count:
 * requests that are signed go nowhere but where the carrier says.
 *
 * @param account of the queue; null for the carrier's own
 * @param name of the queue
 */
record QueueName(@Nullable String account, String name) {
  private static final String NAME = "([A-Za-z0-9_-]{1,80}|[A-Za-z0-9_-]{1,75}\\.fifo)";
  private static final Pattern ALONE = Pattern.compile(NAME);
  private static final Pattern ARN =
      Pattern.compile("arn:aws[a-z-]*:sqs:[a-z0-9-]+:([0-9]{12}):" + NAME);
  private static final Pattern URL =
      Pattern.compile("https?://[!-~]+/(?:queue/)?([0-9]{12})/" + NAME);

  /** Returns the rule that an endpoint breaks; null if it is a queue. */
  static @Nullable String problem(String endpoint) {
    return of(endpoint) == null
        ? "must be the name of a queue of SQS, its ARN, or its URL with account and name at the end"
        : null;
  }

  /** Returns the queue; null if the endpoint is none. */
  static @Nullable QueueName of(String endpoint) {
    if (ALONE.matcher(endpoint).matches()) {
      return new QueueName(null, endpoint);
    }
    for (Pattern pattern : new Pattern[] {ARN, URL}) {
      Matcher matcher = pattern.matcher(endpoint);
      if (matcher.matches()) {
        return new QueueName(matcher.group(1), matcher.group(2));
      }
    }
    return null;
  }

  boolean isFifo() {
    return name.endsWith(".fifo");
  }
}

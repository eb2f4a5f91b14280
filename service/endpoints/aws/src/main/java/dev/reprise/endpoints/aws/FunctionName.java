package dev.reprise.endpoints.aws;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.net.URLEncoder;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Functions of Lambda, given by a name, a name with a version or an alias, or an ARN. */
final class FunctionName {
  private static final String NAME = "[A-Za-z0-9_-]{1,64}(:(\\$LATEST|[A-Za-z0-9_-]{1,128}))?";
  private static final Pattern FUNCTION =
      Pattern.compile("(arn:aws[a-z-]*:lambda:[a-z0-9-]+:[0-9]{12}:function:)?" + NAME);

  private FunctionName() {}

  /** Returns the rule that an endpoint breaks; null if it names a function. */
  static @Nullable String problem(String endpoint) {
    return FUNCTION.matcher(endpoint).matches()
        ? null
        : "must be a function of Lambda: its name, name:version or name:alias, or its ARN";
  }

  /** Returns the path of the invocation (Lambda API, Invoke). */
  static String path(String endpoint) {
    return "/2015-03-31/functions/" + URLEncoder.encode(endpoint, UTF_8) + "/invocations";
  }
}

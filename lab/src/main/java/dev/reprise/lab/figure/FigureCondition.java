package dev.reprise.lab.figure;

import dev.reprise.common.text.AmountText;
import dev.reprise.core.InvalidSettingException;
import dev.reprise.lab.kernel.Seconds;
import dev.reprise.lab.scenario.RateText;
import dev.reprise.lab.scenario.SpanText;
import dev.reprise.policy.document.FieldNames;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalDouble;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A condition of a figure, such as {@code peakRatio > 5} or {@code drainP99 >= 15m}, under which a
 * pipeline is to fail. A policy is judged by the mean of its runs.
 *
 * @param text as it was written
 * @param figure that is compared
 * @param operator one of {@code <}, {@code <=}, {@code >} and {@code >=}
 * @param limit in the figure's unit; infinity for {@code never}
 */
public record FigureCondition(String text, Figure figure, String operator, double limit) {
  private static final Pattern FORM =
      Pattern.compile("\\s*(?<figure>\\w+)\\s*(?<operator><=|>=|<|>)\\s*(?<limit>\\S.*?)\\s*");

  /** The text of an infinite figure, as it is printed. */
  private static final String NEVER = AmountText.NEVER;

  /**
   * Reads a condition.
   *
   * @param text a figure's key, an operator, and a number, span, rate, share or {@code never}
   * @throws InvalidSettingException of {@code condition} when it is none, or the figure is unknown
   */
  public static FigureCondition read(String text) {
    Matcher matcher = FORM.matcher(text);
    if (!matcher.matches()) {
      throw refused(
          text, "must be a figure, one of < <= > >=, and a number, such as 'peakRatio > 5'");
    }
    String name = matcher.group("figure");
    List<String> known = Stream.of(Figure.values()).map(Figure::key).toList();
    for (Figure figure : Figure.values()) {
      if (figure.key().equals(name)) {
        String written = matcher.group("limit");
        return new FigureCondition(
            text.strip(), figure, matcher.group("operator"), limit(text, figure, written));
      }
    }
    throw refused(
        text,
        "there is no figure "
            + name
            + FieldNames.nearest(name, known)
                .map(nearest -> "; did you mean " + nearest + "?")
                .orElse("; see ./reprise lab figures"));
  }

  private static double limit(String text, Figure figure, String written) {
    if (written.equals(NEVER)) {
      return Double.POSITIVE_INFINITY;
    }
    if (figure.unit().equals("s")) {
      Duration span = SpanText.read(written.replace(" ", ""));
      if (span != null) {
        return Seconds.of(span);
      }
    }
    if (figure.unit().equals("/s")) {
      OptionalDouble rate = RateText.read(written.replace(" ", ""));
      if (rate.isPresent()) {
        return rate.getAsDouble();
      }
    }
    boolean percent = figure.unit().isEmpty() && written.endsWith("%");
    String digits = percent ? written.substring(0, written.length() - 1).strip() : written;
    try {
      double number = Double.parseDouble(digits);
      // Java would also parse 5f, which is no number in a condition.
      if (Double.isFinite(number) && Character.isDigit(digits.charAt(digits.length() - 1))) {
        return percent ? number / 100 : number;
      }
    } catch (NumberFormatException notANumber) {
      // Said below.
    }
    throw refused(text, written + " must be a number" + form(figure));
  }

  private static InvalidSettingException refused(String text, String rule) {
    return new InvalidSettingException("condition", text, rule);
  }

  private static String form(Figure figure) {
    return switch (figure.unit()) {
      case "s" -> " of seconds, a span such as 90s or 15m, or " + NEVER;
      case "/s" -> " or a rate such as 5000/s";
      case "" -> ", or a share such as 5 %";
      default -> "";
    };
  }

  /**
   * Returns a sentence without its full stop for each policy that fulfils it, such as {@code mine:
   * peakRatio is 7 with seed 1}.
   *
   * @param results of all policies of a scenario
   * @throws InvalidSettingException of {@code condition} when no policy has the figure
   */
  public List<String> fulfilled(List<PolicyResult> results) {
    List<String> fulfilled = new ArrayList<>();
    boolean known = false;
    for (PolicyResult result : results) {
      Estimate estimate = result.estimates().get(figure);
      known |= estimate != null;
      if (estimate != null && isFulfilled(estimate.mean())) {
        fulfilled.add(sentence(result.name(), estimate, result.runs()));
      }
    }
    if (!known) {
      throw refused(
          text,
          figure.key()
              + " does not apply to this scenario, which has "
              + String.join(", ", keys(results)));
    }
    return fulfilled;
  }

  private static List<String> keys(List<PolicyResult> results) {
    return results.stream()
        .flatMap(result -> result.estimates().keySet().stream())
        .distinct()
        .sorted()
        .map(Figure::key)
        .toList();
  }

  private String sentence(String policy, Estimate estimate, List<RunRecord> runs) {
    String sentence = policy + ": " + figure.key() + " is " + shown(estimate.mean());
    if (runs.size() > 1) {
      List<String> seeds = new ArrayList<>();
      for (RunRecord run : runs) {
        Double value = run.figures().get(figure);
        if (value != null && isFulfilled(value)) {
          seeds.add("seed " + run.seed() + " has " + shown(value));
        }
      }
      sentence += " on average of " + runs.size() + " runs (" + String.join(", ", seeds) + ")";
    } else {
      sentence += " with seed " + runs.get(0).seed();
    }
    return sentence;
  }

  private String shown(@Nullable Double value) {
    if (value == null || Double.isInfinite(value)) {
      return NEVER;
    }
    return figure.unit().equals("s")
        ? AmountText.seconds(value)
        : AmountText.count(value)
            + (figure.unit().isEmpty() || figure.unit().startsWith("/") ? "" : " ")
            + figure.unit();
  }

  private boolean isFulfilled(double value) {
    return switch (operator) {
      case "<" -> value < limit;
      case "<=" -> value <= limit;
      case ">" -> value > limit;
      default -> value >= limit;
    };
  }
}

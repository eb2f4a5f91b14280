package dev.reprise.server.document;

import dev.reprise.common.text.AmountText;
import dev.reprise.lab.fleet.OutageForecast;
import java.math.BigDecimal;
import java.math.MathContext;
import java.util.ArrayList;
import java.util.List;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** The effect of an outage, as the API and the command line show it. */
public final class OutageDocument {
  private static final MathContext DIGITS = new MathContext(5);

  private OutageDocument() {}

  /** Returns the forecast as JSON. */
  public static ObjectNode of(OutageForecast forecast) {
    ObjectNode json = JsonNodeFactory.instance.objectNode();
    json.set("outageSeconds", number(forecast.outage().toNanos() / 1e9));
    json.set("ratePerSecond", number(forecast.ratePerSecond()));
    json.put("published", Math.round(forecast.published()));
    json.put("delivered", Math.round(forecast.delivered()));
    json.put("givenUp", Math.round(forecast.published()) - Math.round(forecast.delivered()));
    json.set("attempts", number(forecast.attempts()));
    json.put("mostAttempts", forecast.mostAttempts());
    Double last = forecast.lastDeliverySeconds();
    json.set(
        "lastDeliverySeconds", last == null ? JsonNodeFactory.instance.nullNode() : number(last));
    json.set("binSeconds", JsonNodeFactory.instance.numberNode(exact(forecast.binSeconds())));
    json.set("attemptsPerSecond", numbers(forecast.attemptsPerSecond()));
    json.set("backlog", numbers(forecast.backlog()));
    json.set("givenUpSoFar", numbers(forecast.givenUpSoFar()));
    ArrayNode sentences = json.putArray("sentences");
    sentences(forecast).forEach(sentences::add);
    return json;
  }

  /** Returns the forecast in words. */
  public static List<String> sentences(OutageForecast forecast) {
    Double last = forecast.lastDeliverySeconds();
    List<String> sentences = new ArrayList<>();
    double published = Math.rint(forecast.published());
    double delivered = Math.rint(forecast.delivered());
    String all = AmountText.count(published);
    if (last == null) {
      sentences.add(
          "None of the " + all + " messages of an outage of " + span(forecast) + " is delivered.");
    } else {
      sentences.add(
          (delivered == published
                  ? "All " + all + " messages"
                  : AmountText.count(delivered) + " of " + all + " messages")
              + " of an outage of "
              + span(forecast)
              + " are delivered, the last one "
              + AmountText.seconds(last)
              + " after its end.");
    }
    if (published > delivered) {
      sentences.add(
          AmountText.count(published - delivered)
              + " are given up and become dead letters, unless the subscription discards them.");
    }
    sentences.add(
        "A message takes "
            + AmountText.count(forecast.attempts())
            + " attempts on average and "
            + AmountText.count(forecast.mostAttempts())
            + " at most.");
    return sentences;
  }

  private static String span(OutageForecast forecast) {
    return AmountText.plain(forecast.outage());
  }

  private static ArrayNode numbers(double... values) {
    ArrayNode array = JsonNodeFactory.instance.arrayNode();
    for (double value : values) {
      array.add(number(value));
    }
    return array;
  }

  private static JsonNode number(double value) {
    return JsonNodeFactory.instance.numberNode(exact(value));
  }

  private static BigDecimal exact(double value) {
    BigDecimal rounded = new BigDecimal(value).round(DIGITS).stripTrailingZeros();
    return rounded.scale() < 0 ? rounded.setScale(0) : rounded;
  }
}

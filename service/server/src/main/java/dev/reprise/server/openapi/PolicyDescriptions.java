package dev.reprise.server.openapi;

import dev.reprise.server.http.Description;
import dev.reprise.server.http.Refusal;
import dev.reprise.server.schema.Schema;

/** The operations of the API's part "Policies". */
public final class PolicyDescriptions {
  private static final String TAG = "Policies";

  private static final Schema PREVIEW_DELAYS =
      Schema.fields()
          .optional("stage", Schema.TEXT)
          .optional("lowestMillis", Schema.NUMBER, "Only in the general format.")
          .required("delayMillis", Schema.NUMBER)
          .optional("highestMillis", Schema.NUMBER, "Only in the general format.")
          .required("times", Schema.integer(1).orNull())
          .closed()
          .named("PreviewDelays");

  private static final Schema PREVIEW_ROW =
      Schema.fields()
          .required("retry", Schema.integer(1), "The first retry of the row.")
          .optional("stage", Schema.TEXT, "Where the backoff has stages.")
          .required("delayMillis", Schema.NUMBER, "The expected delay.")
          .required("lowestMillis", Schema.NUMBER)
          .required("highestMillis", Schema.NUMBER)
          .required(
              "cumulativeMillis",
              Schema.NUMBER,
              "All expected delays up to and including the row's last; of a row without an"
                  + " end, its first.")
          .required("times", Schema.integer(1).orNull(), "null when the row goes on for ever.")
          .closed()
          .named("PreviewRow");

  private static final Schema PREVIEW_BODY =
      Schema.fields()
          .required("name", Schema.TEXT)
          .optional(
              "healthyRetryPolicy", Schema.ANY_OBJECT, "The policy, in the notification format.")
          .optional("policy", Schema.ANY_OBJECT, "The policy, in the general format.")
          .required("retries", Schema.integer(0).orNull(), "null when nothing limits them.")
          .required("attempts", Schema.integer(1).orNull())
          .required(
              "totalDelayMillis",
              Schema.NUMBER.orNull(),
              "The expected sum of all delays; null when there is no end.")
          .optional("lowestTotalMillis", Schema.NUMBER.orNull(), "Only in the general format.")
          .optional("highestTotalMillis", Schema.NUMBER.orNull(), "Only in the general format.")
          .required("delays", Schema.list(PREVIEW_DELAYS), "Runs of equal delays.")
          .optional(
              "throttleDelays",
              Schema.list(PREVIEW_DELAYS),
              "The same after a throttle, where they differ.")
          .required("rows", Schema.list(PREVIEW_ROW), "The same with numbers and sums.")
          .optional(
              "throttleRows",
              Schema.list(PREVIEW_ROW),
              "The same after a throttle, where they differ.")
          .required("warnings", Schema.list(Schema.TEXT))
          .closed()
          .described("Exactly one of healthyRetryPolicy and policy is there.")
          .named("Preview");

  private static final Schema OUTAGE_QUESTION =
      Schema.fields()
          .required("policy", Schema.ANY, "Any policy document, or the name of a preset.")
          .optional(
              "outage",
              Schema.TEXT.with("default", "30m"),
              "How long the endpoint is away: 1s to 168h.")
          .optional(
              "rate",
              Schema.TEXT.with("default", "10/s"),
              "Messages published for it, such as 20/s or 30/min.")
          .closed()
          .named("OutageQuestion");

  private static final Schema OUTAGE_FORECAST =
      Schema.fields()
          .required("outageSeconds", Schema.NUMBER)
          .required("ratePerSecond", Schema.NUMBER)
          .required("published", Schema.COUNT, "Messages published during the outage.")
          .required("delivered", Schema.COUNT, "Of these, those that are delivered after it.")
          .required("givenUp", Schema.COUNT, "Of these, those whose policy gives up.")
          .required("attempts", Schema.NUMBER, "Attempts of one of these messages on average.")
          .required("mostAttempts", Schema.integer(0))
          .required(
              "lastDeliverySeconds",
              Schema.NUMBER.orNull(),
              "From the end of the outage until the last of them is delivered; null when none"
                  + " is.")
          .required(
              "binSeconds",
              Schema.NUMBER,
              "The time between two values of the series, which begin with the outage.")
          .required(
              "attemptsPerSecond",
              Schema.list(Schema.NUMBER),
              "Of all messages, those that are published after the outage too.")
          .required(
              "backlog", Schema.list(Schema.NUMBER), "Messages that wait for another attempt.")
          .required("givenUpSoFar", Schema.list(Schema.NUMBER))
          .required("sentences", Schema.list(Schema.TEXT), "The same in words.")
          .closed()
          .named("OutageForecast");

  private static final Schema PRESET =
      Schema.fields()
          .required("name", Schema.TEXT)
          .optional(
              "healthyRetryPolicy",
              Schema.ANY_OBJECT,
              "Of a preset that topics and subscriptions accept.")
          .optional("policy", Schema.ANY_OBJECT, "Of any other preset, in the general format.")
          .closed()
          .described("Exactly one of healthyRetryPolicy and policy is there.")
          .named("Preset");

  private static final Schema PRESETS = Schema.list(PRESET).named("Presets");

  public static final Description PREVIEW =
      Description.of("preview", TAG, "What a policy does: every delay")
          .body(
              Schema.ANY.described(
                  "Any policy document, of the general or of the notification format, or the name"
                      + " of a preset."))
          .answers(200, "The schedule.", PREVIEW_BODY);

  public static final Description PREVIEW_OUTAGE =
      Description.of("previewOutage", TAG, "What an outage of an endpoint does to its messages")
          .text(
              "Computed on one thread of low priority; one question at a time, and one waits."
                  + " Nothing is stored.")
          .body(OUTAGE_QUESTION)
          .answers(
              200,
              "The forecast. It follows the policy alone: a failing endpoint is spared by the"
                  + " service, so that there are fewer attempts.",
              OUTAGE_FORECAST)
          .answers(
              422,
              "The policy makes so many attempts in the outage that they cannot be followed.",
              SharedSchemas.ERROR_ANSWER)
          .refuses(Refusal.CONFLICT);

  public static final Description SCHEMA =
      Description.of("schema", TAG, "The JSON Schema of a kind of document")
          .path(PathParameters.KIND)
          .answers(200, "The schema (2020-12), whole.", Schema.ANY_OBJECT)
          .refuses(Refusal.NOT_FOUND);

  public static final Description LIST_PRESETS =
      Description.of("listPresets", TAG, "The policies that have a name")
          .answers(200, "All of them.", PRESETS);

  private PolicyDescriptions() {}
}

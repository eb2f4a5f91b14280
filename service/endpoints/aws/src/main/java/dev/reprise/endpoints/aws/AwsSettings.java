package dev.reprise.endpoints.aws;

import dev.reprise.delivery.carrier.Secret;
import dev.reprise.delivery.carrier.SettingCodecs;
import dev.reprise.policy.document.ObjectType;
import java.util.Locale;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The settings of an AWS account.
 *
 * @param region such as {@code eu-central-1}
 * @param accountId twelve digits, for queues that are named without their account; null for none
 * @param accessKeyId of the credentials
 * @param secretAccessKey of the credentials
 * @param sessionToken of temporary credentials; null for none
 * @param sqsUrl the base of SQS' URLs; null for AWS' own
 * @param lambdaUrl the base of Lambda's URLs; null for AWS' own
 * @param invocation how functions are called
 * @param functionErrors what becomes of a message whose function has failed by itself
 */
record AwsSettings(
    String region,
    @Nullable String accountId,
    String accessKeyId,
    Secret secretAccessKey,
    @Nullable Secret sessionToken,
    @Nullable String sqsUrl,
    @Nullable String lambdaUrl,
    Invocation invocation,
    FunctionErrors functionErrors) {
  static final ObjectType<AwsSettings> TYPE = type();

  private static final int MAX_URL_CHARS = 2048;

  /** The ways to call a function. */
  enum Invocation {
    /** Lambda takes the message and calls the function later, with retries of its own. */
    EVENT,
    /** The function is called while the attempt waits. */
    REQUEST
  }

  /** The treatment of a message whose function has failed. */
  enum FunctionErrors {
    /** It is tried again. */
    RETRY,
    /** It is given up at once. */
    PERMANENT
  }

  private static ObjectType<AwsSettings> type() {
    Pattern regions = Pattern.compile("[a-z]{2}(-[a-z]+)+-[0-9]{1,2}");
    Pattern accounts = Pattern.compile("[0-9]{12}");
    Pattern keys = Pattern.compile("[A-Za-z0-9_]{4,128}");
    Pattern urls = Pattern.compile("https?://[!-~]+");
    var type = ObjectType.of(AwsSettings.class, "");
    var region =
        type.required(
            "region",
            SettingCodecs.text(
                "must be a region such as eu-central-1", text -> regions.matcher(text).matches()),
            AwsSettings::region,
            "The region of queues and functions.");
    var accountId =
        type.derived(
            "accountId",
            SettingCodecs.text("must be twelve digits", text -> accounts.matcher(text).matches()),
            AwsSettings::accountId,
            "The account of queues that are given by their name alone.");
    var accessKeyId =
        type.required(
            "accessKeyId",
            SettingCodecs.text(
                "must be an access key id of 4 to 128 letters, digits and _",
                text -> keys.matcher(text).matches()),
            AwsSettings::accessKeyId,
            "The access key's id.");
    var secretAccessKey =
        type.required(
            "secretAccessKey",
            Secret.CODEC,
            AwsSettings::secretAccessKey,
            "The access key's secret.");
    var sessionToken =
        type.derived(
            "sessionToken",
            Secret.CODEC,
            AwsSettings::sessionToken,
            "The token of temporary credentials.");
    var url =
        SettingCodecs.text(
            "must be a URL of at most " + MAX_URL_CHARS + " characters",
            text -> text.length() <= MAX_URL_CHARS && urls.matcher(text).matches());
    var sqsUrl =
        type.derived("sqsUrl", url, AwsSettings::sqsUrl, "Another place where SQS is reached.");
    var lambdaUrl =
        type.derived(
            "lambdaUrl", url, AwsSettings::lambdaUrl, "Another place where Lambda is reached.");
    var invocation =
        type.optional(
            "invocation",
            SettingCodecs.oneOf(Invocation.values(), AwsSettings::wireName),
            Invocation.EVENT,
            AwsSettings::invocation,
            "event: Lambda takes the message and calls the function later. request: the attempt"
                + " waits for the function.");
    var functionErrors =
        type.optional(
            "functionErrors",
            SettingCodecs.oneOf(FunctionErrors.values(), AwsSettings::wireName),
            FunctionErrors.RETRY,
            AwsSettings::functionErrors,
            "Whether a message whose function has failed by itself is tried again (retry) or given"
                + " up (permanent). Known with request only.");
    return type.makes(
        values ->
            new AwsSettings(
                values.get(region),
                values.find(accountId),
                values.get(accessKeyId),
                values.get(secretAccessKey),
                values.find(sessionToken),
                values.find(sqsUrl),
                values.find(lambdaUrl),
                values.get(invocation),
                values.get(functionErrors)));
  }

  private static String wireName(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT);
  }

  /** The base of SQS' URLs, without a slash at its end. */
  String sqsBase() {
    return sqsUrl != null ? withoutSlash(sqsUrl) : "https://sqs." + region + "." + domain();
  }

  /** The base of Lambda's URLs, without a slash at its end. */
  String lambdaBase() {
    return lambdaUrl != null
        ? withoutSlash(lambdaUrl)
        : "https://lambda." + region + "." + domain();
  }

  private String domain() {
    return region.startsWith("cn-") ? "amazonaws.com.cn" : "amazonaws.com";
  }

  private static String withoutSlash(String url) {
    return url.endsWith("/") ? url.substring(0, url.length() - 1) : url;
  }
}

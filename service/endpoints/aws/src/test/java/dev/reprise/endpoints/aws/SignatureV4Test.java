package dev.reprise.endpoints.aws;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.endpoints.fixtures.CarrierCalls;
import java.net.URI;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** The signature of requests, against AWS' published example and a computation of our own. */
final class SignatureV4Test {
  private static final String SECRET = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY";
  private static final Instant DAY = Instant.parse("2015-08-30T12:36:00Z");

  private static AwsSettings settings(String more) {
    return CarrierCalls.settings(
        new AwsCarrierType(),
        "{\"region\": \"us-east-1\", \"accessKeyId\": \"AKIDEXAMPLE\", \"secretAccessKey\": \""
            + SECRET
            + "\""
            + more
            + "}");
  }

  /** "post-x-www-form-urlencoded" of AWS' Signature Version 4 test suite. */
  @Test
  void ourOwnComputationGivesThePublishedSignature() {
    Map<String, String> headers =
        Map.of(
            "host", "example.amazonaws.com",
            "content-type", "application/x-www-form-urlencoded",
            "x-amz-date", "20150830T123600Z",
            "authorization",
                "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request,"
                    + " SignedHeaders=content-type;host;x-amz-date, Signature="
                    + "ff11897932ad3f4e8b18135d722051e5ac45fc38421b1da7b9d196a0fe09473a");
    var request = new SignatureV4.Received("POST", "/", headers, "Param1=value1".getBytes(UTF_8));

    assertThat(SignatureV4.problem(request, "AKIDEXAMPLE", SECRET, "us-east-1/service")).isNull();
    assertThat(SignatureV4.problem(request, "AKIDEXAMPLE", "another", "us-east-1/service"))
        .startsWith("expected ");
  }

  private static String problem(AwsSettings settings, AwsRequest request, String scope) {
    Map<String, String> headers = new TreeMap<>();
    AwsSigner signer = new AwsSigner(settings, Clock.fixed(DAY, ZoneOffset.UTC));
    signer
        .sign(request)
        .forEach(
            header -> headers.put(header.getKey().toLowerCase(Locale.ROOT), header.getValue()));
    URI url = URI.create(request.url());
    headers.put("host", url.getRawAuthority().toLowerCase(Locale.ROOT));
    headers.put("content-type", request.contentType());
    assertThat(headers).containsEntry("x-amz-date", "20150830T123600Z");
    return SignatureV4.problem(
        new SignatureV4.Received("POST", url.getRawPath(), headers, request.body()),
        "AKIDEXAMPLE",
        SECRET,
        scope);
  }

  @Test
  void requestsAreSignedAsTheirReceiverComputesIt() {
    AwsRequest sqs =
        new AwsRequest(
            "sqs",
            "https://sqs.us-east-1.amazonaws.com/",
            List.of(Map.entry("X-Amz-Target", "AmazonSQS.SendMessage")),
            SqsRequests.CONTENT_TYPE,
            "{\"a\": \"\u20ac\"}".getBytes(UTF_8));
    assertThat(problem(settings(""), sqs, "us-east-1/sqs")).isNull();
    assertThat(problem(settings(", \"sessionToken\": \"t/o=k+en\""), sqs, "us-east-1/sqs"))
        .isNull();
  }

  @Test
  void hostThatIsWrittenWithCapitalsIsSignedAsItIsSent() {
    AwsRequest sqs =
        new AwsRequest(
            "sqs",
            "https://SQS.Internal.example:9324/",
            List.of(),
            SqsRequests.CONTENT_TYPE,
            "{}".getBytes(UTF_8));
    assertThat(problem(settings(""), sqs, "us-east-1/sqs")).isNull();
  }

  @Test
  void namesThatAreEncodedInThePathAreSignedAsAwsEncodesThemAgain() {
    String arn = "arn:aws:lambda:us-east-1:123456789012:function:order:$LATEST";
    AwsRequest lambda =
        new AwsRequest(
            "lambda",
            "http://localhost:9001" + FunctionName.path(arn),
            List.of(Map.entry("X-Amz-Invocation-Type", "Event")),
            "application/json",
            "{}".getBytes(UTF_8));
    assertThat(problem(settings(""), lambda, "us-east-1/lambda")).isNull();
  }
}

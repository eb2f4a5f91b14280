package dev.reprise.endpoints.aws;

import dev.reprise.delivery.carrier.Secret;
import java.net.URI;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import software.amazon.awssdk.http.ContentStreamProvider;
import software.amazon.awssdk.http.SdkHttpMethod;
import software.amazon.awssdk.http.SdkHttpRequest;
import software.amazon.awssdk.http.auth.aws.signer.AwsV4HttpSigner;
import software.amazon.awssdk.http.auth.spi.signer.HttpSigner;
import software.amazon.awssdk.http.auth.spi.signer.SignedRequest;
import software.amazon.awssdk.identity.spi.AwsCredentialsIdentity;
import software.amazon.awssdk.identity.spi.AwsSessionCredentialsIdentity;

/** Signs requests with AWS Signature Version 4. Thread-safe. */
final class AwsSigner {
  private final AwsV4HttpSigner signer = AwsV4HttpSigner.create();
  private final AwsCredentialsIdentity identity;
  private final String region;
  private final Clock clock;

  AwsSigner(AwsSettings settings, Clock clock) {
    Secret token = settings.sessionToken();
    this.identity =
        token == null
            ? AwsCredentialsIdentity.create(
                settings.accessKeyId(), settings.secretAccessKey().reveal())
            : AwsSessionCredentialsIdentity.create(
                settings.accessKeyId(), settings.secretAccessKey().reveal(), token.reveal());
    this.region = settings.region();
    this.clock = clock;
  }

  /** Returns the request's headers with those of the signature, for now. */
  List<Map.Entry<String, String>> sign(AwsRequest request) {
    URI url = URI.create(request.url());
    SdkHttpRequest.Builder unsigned =
        SdkHttpRequest.builder()
            .uri(url)
            // As the sender writes it.
            .host(url.getHost().toLowerCase(Locale.ROOT))
            .method(SdkHttpMethod.POST)
            .putHeader("Content-Type", request.contentType());
    request.headers().forEach(header -> unsigned.putHeader(header.getKey(), header.getValue()));
    SignedRequest signed =
        signer.sign(
            sign ->
                sign.identity(identity)
                    .request(unsigned.build())
                    .payload(ContentStreamProvider.fromByteArray(request.body()))
                    .putProperty(AwsV4HttpSigner.SERVICE_SIGNING_NAME, request.service())
                    .putProperty(AwsV4HttpSigner.REGION_NAME, region)
                    .putProperty(HttpSigner.SIGNING_CLOCK, clock));
    List<Map.Entry<String, String>> headers = new ArrayList<>();
    for (Map.Entry<String, List<String>> header : signed.request().headers().entrySet()) {
      String name = header.getKey().toLowerCase(Locale.ROOT);
      // The sender sets these itself, to the same values.
      if (!name.equals("host") && !name.equals("content-type") && !name.equals("content-length")) {
        header.getValue().forEach(value -> headers.add(Map.entry(header.getKey(), value)));
      }
    }
    return headers;
  }
}

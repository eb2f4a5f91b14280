package dev.reprise.endpoints.aws;

import java.util.List;
import java.util.Map;

/**
 * A POST to make.
 *
 * @param service as signatures name it: {@code sqs} or {@code lambda}
 * @param url where to
 * @param headers beside those of the signature
 * @param contentType of the body
 * @param body the bytes
 */
record AwsRequest(
    String service,
    String url,
    List<Map.Entry<String, String>> headers,
    String contentType,
    byte[] body) {}

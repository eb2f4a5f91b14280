package dev.reprise.spring;

import dev.reprise.spring.RepriseProperties.NamedRetry;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;

/**
 * Names for a native image what is read by reflection beside what Spring finds itself: the
 * components of the properties' record, whose names are those that {@link RetryPropertyNames}
 * knows, and what the classifier of core reads of the exceptions of client libraries.
 */
final class RepriseRuntimeHints implements RuntimeHintsRegistrar {
  /** Types on which core's rules for libraries call public methods, each where it is present. */
  private static final List<String> READ_BY_CLASSIFIER =
      List.of(
          "io.grpc.StatusRuntimeException",
          "io.grpc.StatusException",
          "io.grpc.Status",
          "io.grpc.Status$Code",
          "software.amazon.awssdk.core.exception.SdkServiceException",
          "org.elasticsearch.client.ResponseException",
          "org.elasticsearch.client.Response",
          "org.opensearch.client.ResponseException",
          "org.opensearch.client.Response",
          "co.elastic.clients.elasticsearch._types.ElasticsearchException",
          "org.opensearch.client.opensearch._types.OpenSearchException",
          "org.apache.http.StatusLine",
          "org.apache.http.client.HttpResponseException",
          "org.apache.hc.core5.http.message.StatusLine",
          "org.apache.hc.client5.http.HttpResponseException",
          "org.eclipse.jetty.client.HttpResponseException",
          "org.eclipse.jetty.client.Response",
          "com.mongodb.MongoException",
          "com.rabbitmq.client.ShutdownSignalException");

  RepriseRuntimeHints() {}

  @Override
  public void registerHints(RuntimeHints hints, @Nullable ClassLoader classLoader) {
    hints
        .reflection()
        .registerType(
            NamedRetry.class,
            MemberCategory.INVOKE_DECLARED_CONSTRUCTORS,
            MemberCategory.INVOKE_DECLARED_METHODS);
    READ_BY_CLASSIFIER.forEach(
        type ->
            hints
                .reflection()
                .registerTypeIfPresent(classLoader, type, MemberCategory.INVOKE_PUBLIC_METHODS));
  }
}

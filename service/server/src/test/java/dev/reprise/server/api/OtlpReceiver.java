package dev.reprise.server.api;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.opentelemetry.proto.collector.trace.v1.ExportTraceServiceRequest;
import io.opentelemetry.proto.collector.trace.v1.ExportTraceServiceResponse;
import io.opentelemetry.proto.common.v1.KeyValue;
import io.opentelemetry.proto.trace.v1.Span;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** A collector of traces over OTLP/HTTP, which reads with the classes of the protocol's authors. */
final class OtlpReceiver implements AutoCloseable {
  private final HttpServer server;
  private final List<ExportTraceServiceRequest> requests = new CopyOnWriteArrayList<>();

  OtlpReceiver() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext("/v1/traces", this::handle);
    server.start();
  }

  String url() {
    return "http://127.0.0.1:" + server.getAddress().getPort();
  }

  private void handle(HttpExchange exchange) throws IOException {
    try (exchange) {
      requests.add(ExportTraceServiceRequest.parseFrom(exchange.getRequestBody()));
      byte[] answer = ExportTraceServiceResponse.getDefaultInstance().toByteArray();
      exchange.getResponseHeaders().set("Content-Type", "application/x-protobuf");
      exchange.sendResponseHeaders(200, answer.length == 0 ? -1 : answer.length);
      exchange.getResponseBody().write(answer);
    }
  }

  List<Span> spans() {
    return requests.stream()
        .flatMap(request -> request.getResourceSpansList().stream())
        .flatMap(resource -> resource.getScopeSpansList().stream())
        .flatMap(scope -> scope.getSpansList().stream())
        .toList();
  }

  /** All that came, as text. */
  String text() {
    return requests.toString();
  }

  /** The value of an attribute as text; empty without one. */
  static String attribute(Span span, String name) {
    for (KeyValue each : span.getAttributesList()) {
      if (each.getKey().equals(name)) {
        var value = each.getValue();
        return value.hasStringValue()
            ? value.getStringValue()
            : value.hasBoolValue()
                ? Boolean.toString(value.getBoolValue())
                : Long.toString(value.getIntValue());
      }
    }
    return "";
  }

  @Override
  public void close() {
    server.stop(0);
  }
}

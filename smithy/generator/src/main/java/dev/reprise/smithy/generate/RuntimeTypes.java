package dev.reprise.smithy.generate;

import dev.reprise.smithy.runtime.Blob;
import dev.reprise.smithy.runtime.ErrorResponse;
import dev.reprise.smithy.runtime.HttpError;
import dev.reprise.smithy.runtime.JsonValue;
import dev.reprise.smithy.runtime.UnmodeledHttpError;
import dev.reprise.smithy.source.JavaType;
import java.util.List;
import java.util.stream.Stream;

/** The types of the runtime that generated code imports. */
final class RuntimeTypes {
  static final JavaType HTTP_ERROR = JavaType.of(HttpError.class);
  static final JavaType UNMODELED = JavaType.of(UnmodeledHttpError.class);
  static final JavaType RESPONSE = JavaType.of(ErrorResponse.class);
  static final JavaType JSON = JavaType.of(JsonValue.class);
  static final JavaType BLOB = JavaType.of(Blob.class);

  private RuntimeTypes() {}

  /** Returns their simple names, which no shape's class may have: programs catch some of them. */
  static List<String> names() {
    return Stream.of(HTTP_ERROR, UNMODELED, RESPONSE, JSON, BLOB).map(JavaType::name).toList();
  }
}

package dev.reprise.smithy.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.core.ErrorFault;
import dev.reprise.core.RetrySafety;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class HttpErrorTest {
  @Test
  void anErrorHasMessageCauseStatusAndWait() {
    Exception cause = new IllegalStateException("inner");

    HttpError error = new NoSuchCity("no city Oz", cause, 404, Duration.ofSeconds(3));

    assertThat(error).hasMessage("no city Oz").hasCause(cause);
    assertThat(error.httpStatus()).isEqualTo(404);
    assertThat(error.retryAfter()).isEqualTo(Duration.ofSeconds(3));
  }

  @Test
  void messageCauseAndWaitMayBeAbsent() {
    HttpError error = new NoSuchCity(null, null, 404, null);

    assertThat(error.getMessage()).isNull();
    assertThat(error.getCause()).isNull();
    assertThat(error.retryAfter()).isNull();
  }

  @Test
  void anErrorKeepsItsFactsWhenItIsSerialized() throws Exception {
    HttpError error =
        (HttpError) serialized(new NoSuchCity("no city Oz", null, 404, Duration.ofSeconds(3)));

    assertThat(error).hasMessage("no city Oz");
    assertThat(error.httpStatus()).isEqualTo(404);
    assertThat(error.retryAfter()).isEqualTo(Duration.ofSeconds(3));
  }

  static Object serialized(Object value) throws Exception {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
      out.writeObject(value);
    }
    try (ObjectInputStream in =
        new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray()))) {
      return in.readObject();
    }
  }

  private static final class NoSuchCity extends HttpError {
    private static final long serialVersionUID = 1L;

    NoSuchCity(String message, Throwable cause, int httpStatus, Duration retryAfter) {
      super(message, cause, httpStatus, retryAfter);
    }

    @Override
    public ErrorFault fault() {
      return ErrorFault.CLIENT;
    }

    @Override
    public RetrySafety isRetrySafe() {
      return RetrySafety.NO;
    }
  }
}

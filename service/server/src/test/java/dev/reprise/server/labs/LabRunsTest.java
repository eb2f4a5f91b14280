package dev.reprise.server.labs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.lab.scenario.ScenarioDocuments;
import dev.reprise.server.http.Caller;
import dev.reprise.server.labs.LabRuns.LabRun;
import dev.reprise.server.labs.LabRuns.State;
import org.junit.jupiter.api.Test;

class LabRunsTest {
  private static final String SMALL =
      """
      {"name": "small", "policies": {"fleet": "azure-iot"},
       "fleet": {"devices": 10, "quota": "100/s", "failures": [{"type": "outage", "to": "20s"}]}}
      """;

  private final LabRun run = new LabRun("1", ScenarioDocuments.read(SMALL), Caller.DEV);

  @Test
  void oneThatIsCancelledJustBeforeItsTurnStaysCancelled() {
    run.cancel();

    run.run();

    assertThat(run.state()).isEqualTo(State.CANCELLED);
    assertThat(run.reason()).isEqualTo("it was cancelled");
    assertThat(run.done()).isZero();
    assertThat(run.html()).isNull();
  }

  @Test
  void aCancelAfterTheEndChangesNothing() {
    run.run();

    run.cancel();

    assertThat(run.state()).isEqualTo(State.DONE);
    assertThat(run.html()).isNotEmpty();
  }
}

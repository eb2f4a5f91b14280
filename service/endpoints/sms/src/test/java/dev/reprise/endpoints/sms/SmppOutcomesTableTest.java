package dev.reprise.endpoints.sms;

import dev.reprise.endpoints.fixtures.OutcomesTable;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Compares the document with the code, for SMPP. */
class SmppOutcomesTableTest {
  private static final String SPEC = "SMPP 3.4 5.1.3";

  /** Those whose meaning at providers is wider than the specification's. */
  private static final Set<CommandStatus> OF_PROVIDERS =
      Set.of(
          CommandStatus.ESME_RSUBMITFAIL,
          CommandStatus.ESME_RQUERYFAIL,
          CommandStatus.ESME_RUNKNOWNERR,
          CommandStatus.ESME_RMSGQFUL);

  @Test
  void statuses() {
    TreeMap<Integer, CommandStatus> byCode = new TreeMap<>();
    for (CommandStatus status : CommandStatus.values()) {
      byCode.put(status.code(), status);
    }
    byCode.remove(CommandStatus.ESME_ROK.code());
    OutcomesTable table = new OutcomesTable();
    byCode.forEach(
        (code, status) ->
            table.row(
                "`" + CommandStatus.text(code) + "`",
                CommandStatus.verdict(code),
                SPEC + (OF_PROVIDERS.contains(status) ? "; providers' tables" : "")));
    table.row("`0x00000400` and all others", CommandStatus.verdict(0x400), "providers' tables");
    table.check("SMPP: command statuses");
  }
}

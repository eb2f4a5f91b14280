package dev.reprise.endpoints.aws;

import dev.reprise.endpoints.fixtures.OutcomesTable;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Compares the document with the code, for SQS and Lambda. */
class AwsOutcomesTableTest {
  private static final String COMMON = "AWS API, common errors";
  private static final String LAMBDA = "Lambda API, Invoke";

  private final OutcomesTable table = new OutcomesTable();

  private void codes(Iterable<String> codes, String more, int status, String source) {
    TreeSet<String> sorted = new TreeSet<>();
    codes.forEach(sorted::add);
    String all = sorted.stream().map(code -> "`" + code + "`").collect(Collectors.joining(", "));
    table.row(all + more, AwsVerdicts.of(status, sorted.first()), source);
  }

  private void answer(int status, String code, String words, String source) {
    table.row(
        "`" + (status + " " + code).strip() + "`" + words, AwsVerdicts.of(status, code), source);
  }

  @Test
  void codes() {
    codes(AwsVerdicts.ACCOUNT, "", 403, COMMON);
    codes(AwsVerdicts.THROTTLED, ", and 429", 400, COMMON + "; SQS and Lambda");
    codes(AwsVerdicts.SUSPECT, "", 400, COMMON);
    codes(AwsVerdicts.RECIPIENT_FOR_NOW, "", 400, LAMBDA + "; SQS, SendMessage");
    codes(AwsVerdicts.NEEDS_OF_RECIPIENT, " and what follows", 502, LAMBDA + "; SQS, SendMessage");
    codes(AwsVerdicts.RECIPIENT, "", 400, LAMBDA + "; SQS, SendMessage");
    answer(403, "EFSMountFailureException", "", LAMBDA);
    answer(410, "EFSIOException", "", LAMBDA);
    answer(403, "Unknown", ": any code that is not known", COMMON);
    answer(403, "", " without a code", "a proxy or an endpoint policy on the way");
    answer(401, "", " without a code that is known", "RFC 9110 15.5.2");
    answer(404, "", " without a code that is known", "RFC 9110 15.5.5");
    answer(409, "", ", 410, 423 without a code that is known", "RFC 9110 15.5.10");
    answer(400, "InvalidMessageContents", " and every other 4xx", "SQS, SendMessage");
    answer(413, "RequestTooLargeException", "", LAMBDA);
    answer(408, "", "", "RFC 9110 15.5.9");
    answer(500, "InternalError", " and every other 5xx", COMMON);
    table.check("SQS and Lambda: codes");
  }
}

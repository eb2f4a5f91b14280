package dev.reprise.server.access;

import dev.reprise.core.InvalidSettingException;
import java.time.Duration;

/**
 * The bounds of the audit log.
 *
 * @param retention how long a record is kept, at least a day
 * @param maxRecords the most records, from 1000 to 100 million
 */
public record AuditSettings(Duration retention, int maxRecords) {
  /** The default: 90 days, and no more than a million records, which are about 300 MB. */
  public static final AuditSettings DEFAULT = new AuditSettings(Duration.ofDays(90), 1_000_000);

  private static final int MIN_RECORDS = 1000;
  private static final int MAX_RECORDS = 100_000_000;

  /** Checks the ranges. */
  public AuditSettings {
    if (retention.compareTo(Duration.ofDays(1)) < 0) {
      throw new InvalidSettingException("audit-retention", retention, "must be at least 24h");
    }
    if (maxRecords < MIN_RECORDS || maxRecords > MAX_RECORDS) {
      throw new InvalidSettingException(
          "audit-records", maxRecords, "must be from " + MIN_RECORDS + " to " + MAX_RECORDS);
    }
  }
}

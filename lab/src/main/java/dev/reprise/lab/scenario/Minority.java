package dev.reprise.lab.scenario;

import dev.reprise.core.InvalidSettingException;
import dev.reprise.policy.Policy;
import org.jspecify.annotations.Nullable;

/**
 * A part of the fleet that keeps another policy, such as old firmware.
 *
 * @param share of the devices, 0 to 1
 * @param policy theirs; null when the share is 0
 */
public record Minority(double share, @Nullable Policy policy) {
  /** There is none. */
  public static final Minority NONE = new Minority(0, null);

  /** Checks the arguments; throws {@link IllegalArgumentException} naming the one that is wrong. */
  public Minority {
    Require.between("share", share, 0.0, 1.0);
    if (share > 0 && policy == null) {
      throw new InvalidSettingException("policy", "missing", "must be there when share is not 0");
    }
  }

  /** Returns how many of the devices that is, to the nearest. */
  public int of(int devices) {
    return (int) Math.round(share * devices);
  }
}

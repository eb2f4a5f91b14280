package dev.reprise.cli.apply;

import java.util.ArrayList;
import java.util.List;

/** The changes that make the service as the files say, in the order in which they are made. */
final class Plan {
  /** Carriers, projects, topics and subscriptions that are made or changed. */
  final List<PlannedChange> changes = new ArrayList<>();

  /** Deletions of things that the files do not have, in an order in which they are possible. */
  final List<PlannedChange> superfluous = new ArrayList<>();

  final List<String> mistakes = new ArrayList<>();

  final List<String> warnings = new ArrayList<>();

  int unchanged;
}

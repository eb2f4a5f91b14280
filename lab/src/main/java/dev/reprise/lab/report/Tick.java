package dev.reprise.lab.report;

/** A mark on an axis. */
record Tick(double value, String label) {}

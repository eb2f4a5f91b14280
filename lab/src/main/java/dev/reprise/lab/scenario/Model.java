package dev.reprise.lab.scenario;

/** What is simulated. */
public sealed interface Model permits FleetModel, CallModel, ContentionModel {}

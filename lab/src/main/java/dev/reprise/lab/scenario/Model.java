package dev.reprise.lab.scenario;

/** The system that is simulated. */
public sealed interface Model permits FleetModel, CallModel, ContentionModel {}

$version: "2"

namespace example.weather

use aws.protocols#restJson1

/// Tells the weather of cities, and takes down what people see there.
@restJson1
service Weather {
    version: "2026-11-21"
    operations: [GetForecast, ReportObservation]
    errors: [ThrottlingError, ServiceUnavailable]
}

/// Only reads, so it may be repeated whatever became of an attempt.
@readonly
@http(method: "GET", uri: "/cities/{city}/forecast")
operation GetForecast {
    input := {
        @required
        @httpLabel
        city: String
    }
    output := {
        @required
        summary: String
    }
    errors: [NoSuchCity, StorageBusy]
}

/// Writes: repeated, it would count one observation twice.
@http(method: "POST", uri: "/cities/{city}/observations")
operation ReportObservation {
    input := {
        @required
        @httpLabel
        city: String

        @required
        celsius: Double
    }
    output := {
        @required
        id: String
    }
    errors: [NoSuchCity, StorageBusy]
}

/// Too many requests; none of this one was done.
@error("client")
@httpError(429)
@retryable(throttling: true)
structure ThrottlingError {
    message: String
}

/// The service does not know the city, and will not the next time either.
@error("client")
@httpError(404)
structure NoSuchCity {
    message: String

    /// The name that was asked for.
    @required
    city: String

    /// Cities of similar names, the most similar first.
    similar: Cities
}

list Cities {
    member: City
}

structure City {
    @required
    name: String

    country: String
}

/// The service is being moved; nothing was done.
@error("server")
@httpError(503)
@retryable
structure ServiceUnavailable {
    message: String
}

/// The storage was busy. What was to be written may have been written.
@error("server")
@httpError(500)
structure StorageBusy {
    message: String
}

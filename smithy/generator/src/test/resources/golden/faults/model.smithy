$version: "2"

namespace example.faults

@error("client")
structure ClientError {}

@error("client")
@retryable
structure RetryableClientError {}

@error("client")
@retryable(throttling: true)
structure ThrottledClientError {}

/// Its status asks for a retry, its traits forbid one.
@error("client")
@httpError(429)
structure TooManyRequestsWithoutTrait {}

@error("client")
@httpError(408)
@retryable
structure RequestTimeout {}

@error("server")
structure ServerError {}

@error("server")
@retryable
structure RetryableServerError {}

@error("server")
@httpError(503)
@retryable(throttling: true)
structure Overloaded {}

@error("server")
@httpError(504)
structure GatewayTimeout {}

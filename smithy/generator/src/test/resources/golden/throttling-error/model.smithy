$version: "2"

namespace example.seed

@httpError(429)
@error("client")
@retryable(throttling: true)
structure ThrottlingError {
    message: String
}

$version: "2"

namespace example.sensitive

/// Its message may tell a secret.
@error("client")
structure SecretMessage {
    message: Secret
    account: Account
    whole: Whole
    secrets: Secrets
    proof: Proof
    hidden: Hidden
    code: Code
    level: Level
}

/// Everything in it is secret.
@sensitive
@error("client")
structure SecretError {
    message: String
}

structure Account {
    name: String
    password: Secret
    @required
    pin: Pin
    old: Secrets
    byName: SecretsByName
}

@sensitive
structure Whole {
    left: String
    right: Integer
}

union Proof {
    password: Secret
    pin: Pin
    open: String
}

list Secrets {
    member: Secret
}

map SecretsByName {
    key: String
    value: Secret
}

@sensitive
string Secret

@sensitive
integer Pin

@sensitive
union Hidden {
    a: String
    b: Integer
}

@sensitive
enum Code {
    A = "a"
}

@sensitive
intEnum Level {
    LOW = 1
}

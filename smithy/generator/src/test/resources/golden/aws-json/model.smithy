$version: "2"

namespace example.awsjson

use aws.protocols#awsJson1_1

@awsJson1_1
service Table_20120810 {
    version: "2012-08-10"
    operations: [
        PutItem
    ]
}

operation PutItem {
    errors: [
        ProvisionedThroughputExceededException
        ConditionalCheckFailedException
        InternalServerError
    ]
}

@error("client")
@httpError(400)
@retryable(throttling: true)
structure ProvisionedThroughputExceededException {
    message: String
}

@error("client")
structure ConditionalCheckFailedException {
    @jsonName("ignored")
    message: String

    Item: AttributeMap
}

@error("server")
structure InternalServerError {
    @httpHeader("X-Ignored")
    message: String
}

map AttributeMap {
    key: String
    value: AttributeValue
}

union AttributeValue {
    S: String
    N: String
    B: Blob
    SS: Strings
    BOOL: Boolean
    M: AttributeMap
    L: AttributeValues
}

list Strings {
    member: String
}

list AttributeValues {
    member: AttributeValue
}

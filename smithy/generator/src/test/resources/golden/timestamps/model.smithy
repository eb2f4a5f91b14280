$version: "2"

namespace example.timestamps

service Timestamps {
    errors: [
        TooLate
    ]
}

@error("client")
@httpError(410)
structure TooLate {
    usual: Timestamp

    @timestampFormat("date-time")
    dateTime: Timestamp

    @timestampFormat("http-date")
    httpDate: Timestamp

    @timestampFormat("epoch-seconds")
    epochSeconds: Timestamp

    ofItsShape: DateTime

    @httpHeader("X-Until")
    headerUsual: Timestamp

    @httpHeader("X-Since")
    @timestampFormat("date-time")
    headerDateTime: Timestamp

    @httpHeader("X-Dates")
    headerList: Dates

    many: DateTimes

    @required
    required: Timestamp

    @timestampFormat("date-time")
    preset: Timestamp = "1985-04-12T23:20:50.52Z"
}

@timestampFormat("date-time")
timestamp DateTime

list DateTimes {
    member: DateTime
}

list Dates {
    member: Timestamp
}

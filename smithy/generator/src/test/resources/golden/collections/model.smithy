$version: "2"

namespace example.collections

service Collections {
    errors: [
        ManyThings
    ]
}

@error("client")
@httpError(409)
structure ManyThings {
    words: Words
    sparseWords: SparseWords
    numbers: Numbers
    table: Table
    blobs: Blobs
    structures: Structures
    enums: Colors
    byName: ByName
    sparseByName: SparseByName
    byColor: ByColor
    deep: Deep

    @required
    requiredWords: Words

    @required
    requiredByName: ByName
}

list Words {
    member: String
}

@sparse
list SparseWords {
    member: String
}

@uniqueItems
list Numbers {
    member: Integer
}

list Table {
    member: Numbers
}

list Blobs {
    member: Blob
}

list Structures {
    member: Thing
}

list Colors {
    member: Color
}

map ByName {
    key: String
    value: Thing
}

@sparse
map SparseByName {
    key: String
    value: Integer
}

map ByColor {
    key: Color
    value: Table
}

map Deep {
    key: String
    value: ByNames
}

list ByNames {
    member: ByName
}

structure Thing {
    name: String
}

enum Color {
    RED
    GREEN
}

$version: "2"

namespace example.recursive

service Recursive {
    errors: [
        BadTree
    ]
}

@error("client")
@httpError(422)
structure BadTree {
    tree: Tree
    expression: Expression
}

structure Tree {
    value: String
    left: Tree
    right: Tree
    children: Trees
    byName: TreesByName
}

list Trees {
    member: Tree
}

map TreesByName {
    key: String
    value: Tree
}

union Expression {
    number: Double
    sum: Expressions
    not: Expression
    of: Tree
}

list Expressions {
    member: Expression
}

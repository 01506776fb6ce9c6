// Package quickcheck compiles schemas to predicates of PostgreSQL's jsonpath.
//
// The database judges a document by walking through its schema, which is thorough and slow. A predicate
// answers for nearly every document that is in order, in microseconds: it is true only where the schema
// finds nothing. Where it is false or unknown the schema has the word, so a predicate may leave out
// what is rare or what jsonpath cannot say. What it leaves out:
//
//   - texts of 255 code points and more, where a longer one could be too long;
//   - arrays with two or more items, where their order or their keys count;
//   - values that are equal, where they are arrays, or objects of different nodes.
//
// Three facts make the predicates right. In strict mode a member that is missing, or of another type,
// makes a predicate unknown, and unknown is not true. A filter drops what its predicate is unknown for, so
// `exists(x ? (p))` is true or false for each x that exists. A comparison of strings is one of code
// points, and in UTF-8 one of bytes.
//
// Two facts make them quick. An expression like .{64}, which every text of a length matches, is judged
// by counting, while [0-9a-f]{64} builds a state for each character: so a bound on the length is judged
// apart from the characters. And PostgreSQL keeps 32 compiled expressions: so equal needs are met by equal
// expressions.
package quickcheck

// Package gendoc draws documents for tests (pgregory.net/rapid): documents that a schema accepts, and
// documents that were one of those until something happened to them.
//
// What it draws is meant for comparing two judges of documents, such as the database and package
// contracts. Valid draws by construction: patterns, branches, counts, orders, quartets and conditions are
// met, and the digest is right. Mutant draws a valid document and breaks it, in most cases: some
// mutations leave it valid, and that has to be told as well. Both write the document in a spelling that
// is drawn too: order of members, white space and escapes.
//
// Texts are in NFC and hold only characters that Unicode 14 assigns: of later ones the two sides may
// have different opinions.
package gendoc

/**
 * The wire objects of the outbox as types, their canonical form, and the identifiers derived from them.
 *
 * Nothing here validates at run time: the compiler checks types, the database and Go check documents.
 *
 * @packageDocumentation
 */
export { canonical } from "./canonical.js";
export type { JsonObject, JsonValue } from "./canonical.js";
export * from "./contracts.js";
export { deriveId, deriveKey } from "./derive.js";
export type { Sha256 } from "./derive.js";
export { namespaces } from "./namespaces.js";
export type { Candidates, Namespace } from "./namespaces.js";

import { canonical } from "./canonical.js";
import { namespaces } from "./namespaces.js";
import type { Candidates, Namespace } from "./namespaces.js";

/** Computes the SHA-256 of bytes. */
export type Sha256 = (bytes: Uint8Array) => Uint8Array | Promise<Uint8Array>;

/**
 * Gives the identifier of a candidate in a namespace: a UUID of version 8 (RFC 9562) in lower case.
 * Equal candidates have equal identifiers, here, in Go and in the database.
 *
 * Texts and member names must be in Unicode normalization form C, else it throws a TypeError. Apart from
 * that the candidate is checked by the compiler only. Go and the database refuse one that breaks its
 * schema; here it would get an identifier that nobody else accepts.
 *
 * sha256 is the Web Crypto API where there is one: Node 19 and later, and browsers in a secure context.
 * Elsewhere pass one, such as `(bytes) => createHash("sha256").update(bytes).digest()` in Node 18.
 */
export async function deriveId<N extends Namespace>(
  namespace: N,
  candidate: Candidates[N],
  sha256: Sha256 = webSha256,
): Promise<string> {
  const id = new DataView((await hash(namespace, candidate, sha256)).buffer, 0, 16);
  id.setUint8(6, (id.getUint8(6) & 0x0f) | 0x80);
  id.setUint8(8, (id.getUint8(8) & 0x3f) | 0x80);
  return hex(new Uint8Array(id.buffer, 0, 16)).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}

/**
 * Gives the key of a candidate in a namespace: the name of the namespace, a colon and 64 hexadecimal
 * digits. For all else see deriveId.
 */
export async function deriveKey<N extends Namespace>(
  namespace: N,
  candidate: Candidates[N],
  sha256: Sha256 = webSha256,
): Promise<string> {
  return `${namespace}:${hex(await hash(namespace, candidate, sha256))}`;
}

/** The SHA-256 of the 16 bytes of the namespace's id and the candidate's canonical form. */
async function hash(namespace: Namespace, candidate: unknown, sha256: Sha256): Promise<Uint8Array> {
  if (!Object.prototype.hasOwnProperty.call(namespaces, namespace)) {
    throw new TypeError("unknown namespace");
  }
  const id = namespaces[namespace].id.replace(/-/g, "");
  const text = new TextEncoder().encode(canonical(candidate));
  requireNFC(candidate);
  const bytes = new Uint8Array(16 + text.length);
  for (let i = 0; i < 16; i++) {
    bytes[i] = parseInt(id.slice(2 * i, 2 * i + 2), 16);
  }
  bytes.set(text, 16);
  const sum = await sha256(bytes);
  if (sum.length !== 32) {
    throw new TypeError("sha256 did not give 32 bytes");
  }
  return Uint8Array.from(sum);
}

/** Refuses what Go and the database refuse: text that is not in Unicode normalization form C. */
function requireNFC(value: unknown): void {
  if (typeof value === "string") {
    if (value.normalize("NFC") !== value) {
      throw new TypeError("a text or member name of the candidate is not in Unicode normalization form C");
    }
  } else if (typeof value === "object" && value !== null) {
    Object.entries(value).forEach((entry) => entry.forEach(requireNFC)); // of an array too
  }
}

async function webSha256(bytes: Uint8Array): Promise<Uint8Array> {
  const web: Crypto | undefined = globalThis.crypto;
  if (web?.subtle === undefined) {
    throw new TypeError("there is no Web Crypto API here: pass a sha256 function");
  }
  return new Uint8Array(await web.subtle.digest("SHA-256", bytes as BufferSource));
}

function hex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** A value that JSON can say. */
export type JsonValue = null | boolean | number | string | ReadonlyArray<JsonValue> | JsonObject;

/** An object that JSON can say, with any members. */
export type JsonObject = { readonly [member: string]: JsonValue };

/**
 * Gives the canonical form of a value by RFC 8785 (JCS).
 *
 * It refuses, with a TypeError, what JSON cannot say: undefined (also as a member or an item), NaN, the
 * infinities, lone surrogates, functions, symbols, bigints, and objects that are neither plain nor
 * arrays, such as a Date. The error never quotes the value. That a text named a member twice cannot be
 * seen here any more: JSON.parse has kept the last one.
 */
export function canonical(value: unknown): string {
  switch (typeof value) {
    case "boolean":
      return String(value);
    case "number":
      if (!Number.isFinite(value)) {
        throw new TypeError("no canonical form: a number that is not finite");
      }
      return JSON.stringify(value);
    case "string":
      if (/\p{Surrogate}/u.test(value)) {
        throw new TypeError("no canonical form: a lone surrogate");
      }
      return JSON.stringify(value);
    case "object":
      if (value === null) {
        return "null";
      }
      return Array.isArray(value) ? list(value) : object(value);
    default:
      throw new TypeError(`no canonical form: JSON has no ${typeof value}`);
  }
}

function list(items: ReadonlyArray<unknown>): string {
  // Array.from visits holes too, as undefined.
  return `[${Array.from(items, canonical).join(",")}]`;
}

function object(value: object): string {
  const prototype: unknown = Object.getPrototypeOf(value);
  // Not compared with Object.prototype: an object of another frame has another one.
  if (prototype !== null && Object.getPrototypeOf(prototype) !== null) {
    throw new TypeError("no canonical form: an object that is neither plain nor an array");
  }
  const members = value as { readonly [name: string]: unknown };
  // sort compares UTF-16 code units, as RFC 8785 wants it.
  const names = Object.keys(members).sort();
  return `{${names.map((name) => `${canonical(name)}:${canonical(members[name])}`).join(",")}}`;
}

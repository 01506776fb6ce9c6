// Run by node (18 or newer): compares what was built with the goldens and vectors of the repository. BUILT names the folder
// of the build, by default dist.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import { runInNewContext } from "node:vm";

const here = fileURLToPath(new URL(".", import.meta.url));
const contracts = resolve(here, "../..");
const vectors = resolve(contracts, "../tests/contracts/testdata/jcs");
const built = resolve(process.env.BUILT ?? join(here, "../dist"));
const { canonical, deriveId, deriveKey, namespaces } = await import(pathToFileURL(join(built, "index.js")));

const read = (...path) => readFileSync(join(...path), "utf8");
const readJson = (...path) => JSON.parse(read(...path));
const nodeSha256 = (bytes) => createHash("sha256").update(bytes).digest();

test("official JCS files have their output", () => {
  const files = readdirSync(join(vectors, "official/input"));
  assert.ok(files.length > 0);
  for (const file of files) {
    assert.equal(canonical(readJson(vectors, "official/input", file)), read(vectors, "official/output", file), file);
  }
});

test("vectors have their canonical form", () => {
  const list = readJson(vectors, "vectors.json").filter((vector) => vector.out !== undefined);
  assert.ok(list.length > 0);
  for (const vector of list) {
    assert.equal(canonical(JSON.parse(vector.in)), vector.out);
  }
});

test("vectors without a canonical form are refused", () => {
  const list = readJson(vectors, "vectors.json").filter((vector) => vector.error !== undefined);
  assert.ok(list.length > 0);
  for (const vector of list.filter((vector) => vector.error !== "duplicate key")) { // JSON.parse hides these
    assert.throws(() => canonical(JSON.parse(vector.in)), undefined, vector.in);
  }
});

test("numbers have their ECMAScript form", () => {
  const lines = read(vectors, "es6_numbers_10000.txt").trimEnd().split("\n");
  assert.equal(lines.length, 10000);
  const double = new DataView(new ArrayBuffer(8));
  for (const line of lines) {
    const [hex, text] = line.split(",");
    double.setBigUint64(0, BigInt("0x" + hex));
    assert.equal(canonical(double.getFloat64(0)), text, hex);
  }
});

test("goldens have their canonical form", () => {
  let compared = 0;
  const folders = readdirSync(join(contracts, "goldens")).filter((name) => name.includes("@"));
  for (const schema of [...folders, "delivery-sets"]) {
    const folder = schema === "delivery-sets" ? join(contracts, schema) : join(contracts, "goldens", schema);
    const rule = readJson(contracts, "schemas", (schema === "delivery-sets" ? "DeliverySetDefinition@1" : schema) + ".json")["x-digest"];
    for (const file of readdirSync(folder).filter((name) => name.endsWith(".canonical"))) {
      const document = readJson(folder, basename(file, ".canonical") + ".json");
      for (const member of rule?.excludes ?? []) {
        delete document[member];
      }
      assert.equal(canonical(document), read(folder, file), `${schema}/${file}`);
      compared++;
    }
  }
  assert.ok(compared > 0);
});

test("values that JSON cannot say are refused", () => {
  const cycle = {};
  cycle.self = cycle;
  const values = [
    undefined, NaN, Infinity, -Infinity, 1n, Symbol("s"), () => 1, "\ud800", "a\udc00b", { "\udfff": 1 }, [undefined],
    [1, , 3], { a: undefined }, { a: { b: [NaN] } }, new Date(0), new Map(), new Uint8Array(1), Object(1), new (class {})(),
  ];
  for (const value of values) {
    assert.throws(() => canonical(value), TypeError);
  }
  assert.throws(() => canonical(cycle), RangeError);
});

test("plain objects of every kind are accepted", () => {
  assert.equal(canonical(Object.assign(Object.create(null), { b: -0, a: "\u2028<" })), '{"a":"\u2028<","b":0}');
  assert.equal(canonical(runInNewContext("({ b: [1], a: {} })")), '{"a":{},"b":[1]}');
  assert.equal(canonical(JSON.parse('{"__proto__":1,"B":2,"a":3}')), '{"B":2,"__proto__":1,"a":3}');
});

test("derived identifiers and keys are those of the goldens", async () => {
  const list = readJson(contracts, "goldens/derive.json");
  for (const { namespace, candidate, id, key } of list) {
    assert.equal(await deriveId(namespace, candidate, nodeSha256), id);
    assert.equal(await deriveKey(namespace, candidate, async (bytes) => nodeSha256(bytes)), key);
  }
  const seen = new Set(list.map(({ namespace }) => namespace));
  assert.deepEqual([...seen].sort(), Object.keys(namespaces).sort());
});

test("candidates with text that is not in NFC are refused", async () => {
  const [{ namespace, candidate }] = readJson(contracts, "goldens/derive.json");
  const [member] = Object.keys(candidate);
  const refused = [
    { ...candidate, [member]: "e\u0301" }, { ...candidate, [member]: "\u212b" }, { ...candidate, [member]: "a\u0301\u0323" },
    { ...candidate, [member]: ["x", { deep: "\u0958" }] }, { ...candidate, ["e\u0301"]: "x" }, { ...candidate, [member]: { ["e\u0301"]: 1 } },
  ];
  for (const other of refused) {
    await assert.rejects(deriveId(namespace, other, nodeSha256), { name: "TypeError", message: /normalization form C/ });
    await assert.rejects(deriveKey(namespace, other, nodeSha256), { name: "TypeError", message: /normalization form C/ });
  }
  for (const text of ["\u00e9", "\u0301", "\n\u0303", "x" + "\u0323".repeat(40), "\u{1f600}"]) {
    assert.match(await deriveId(namespace, { ...candidate, [member]: text }, nodeSha256), /^[0-9a-f-]{36}$/);
  }
});

test("the Web Crypto API is used where there is one", async () => {
  const [{ namespace, candidate, id }] = readJson(contracts, "goldens/derive.json");
  if (globalThis.crypto?.subtle === undefined) {
    await assert.rejects(deriveId(namespace, candidate), /pass a sha256 function/);
  } else {
    assert.equal(await deriveId(namespace, candidate), id);
  }
});

test("other namespaces and other digests are refused", async () => {
  for (const name of ["no_such_namespace", "constructor", "__proto__", ""]) {
    await assert.rejects(deriveId(name, {}, nodeSha256), /unknown namespace/);
  }
  await assert.rejects(deriveKey("settlement_dimension", {}, (bytes) => bytes.slice(0, 31)), /32 bytes/);
});

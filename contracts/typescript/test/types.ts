// Compiled, never run: what the types accept, and with @ts-expect-error what they refuse.
import { deriveId, deriveKey } from "../src/index.js";
import type {
  Candidates,
  ConsumerVerdict,
  DeliverySetDefinition,
  EventEnvelope,
  MeteringInputWorkOperationCandidate,
  SettlementDimensionCandidate,
  SettlementEconomicIdentity,
} from "../src/index.js";

export const credits: SettlementEconomicIdentity = { kind: "credits" };
export const money: SettlementEconomicIdentity = { kind: "money", currency: "EUR" };
export const entitlement: SettlementEconomicIdentity = { kind: "entitlement", entitlementKey: "images", unit: "image" };

// A branch has its own members and no others.
// @ts-expect-error
export const mixed: SettlementEconomicIdentity = { kind: "credits", currency: "EUR" };
// @ts-expect-error
export const incomplete: SettlementEconomicIdentity = { kind: "entitlement", entitlementKey: "images" };
// @ts-expect-error
export const unknownBranch: SettlementEconomicIdentity = { kind: "points" };
// @ts-expect-error
export const withoutBranch: SettlementEconomicIdentity = {};

// The discriminator tells which members there are.
export function unitOf(identity: SettlementEconomicIdentity): string {
  switch (identity.kind) {
    case "credits":
      return "credit";
    case "money":
      return identity.currency;
    case "entitlement":
      // @ts-expect-error
      identity.currency;
      return identity.unit;
  }
}

export const envelope: EventEnvelope = {
  envelopeSchemaVersion: "1",
  eventId: "6f1d7a52-3c84-4d0e-9b7a-1f2e3d4c5b6a",
  eventType: "metering.settlement-input.current-changed@1",
  eventSchemaVersion: "1",
  aggregateId: "e0986d24-c9e5-800a-b7d7-9ca02c37dc88",
  aggregateRevision: 3,
  tenantKind: "personal_space",
  tenantId: "space_1",
  workspaceId: "ws_1",
  correlationId: "corr_1",
  operationId: "op_1",
  occurredAt: "2026-11-30T12:00:00Z",
  payload: { any: ["thing", 1, null, { nested: true }] },
};

export const withProject: EventEnvelope = { ...envelope, projectId: "prj_1" };
// @ts-expect-error
export const nullProject: EventEnvelope = { ...envelope, projectId: null };
// @ts-expect-error
export const undefinedProject: EventEnvelope = { ...envelope, projectId: undefined };
// @ts-expect-error
export const unknownLiteral: EventEnvelope = { ...envelope, tenantKind: "team" };
// @ts-expect-error
export const textRevision: EventEnvelope = { ...envelope, aggregateRevision: "3" };
// @ts-expect-error
export const unknownMember: EventEnvelope = { ...envelope, priority: 1 };
// @ts-expect-error
export const listPayload: EventEnvelope = { ...envelope, payload: [] };
// @ts-expect-error
export const datePayload: EventEnvelope = { ...envelope, payload: { at: new Date(0) } };
// @ts-expect-error
envelope.aggregateRevision = 4;

const { occurredAt, ...rest } = envelope;
export const at: string = occurredAt;
// @ts-expect-error
export const missingMember: EventEnvelope = rest;

// A wire object is a payload.
const identityAsPayload: EventEnvelope = { ...envelope, payload: money };
export const payload: unknown = identityAsPayload.payload;

export const retry: ConsumerVerdict = { result: "retryable", errorCode: "busy", retryAfterMs: 100 };
export const refusal: ConsumerVerdict = { result: "non_retryable", errorCode: "unknown_run" };
// @ts-expect-error
export const refusalWithRetry: ConsumerVerdict = { result: "non_retryable", errorCode: "unknown_run", retryAfterMs: 100 };
// @ts-expect-error
export const acknowledgedWithoutReceipt: ConsumerVerdict = { result: "acknowledged" };

export function destinations(definition: DeliverySetDefinition): string[] {
  // @ts-expect-error
  definition.members.push(definition.members[0]);
  return definition.members.map((member) => member.destination);
}

// A namespace takes its own candidate.
const dimension: SettlementDimensionCandidate = {
  billingReservationId: "rsv_1",
  runStepId: "step_1",
  executionAttemptId: "att_1",
  chargeDimensionKey: "output_tokens",
};
const work: MeteringInputWorkOperationCandidate = {
  executionAttemptId: "att_1",
  lane: { kind: "eligibility_and_settlement_input" },
  workGeneration: 1,
  laneTriggerDigestAlgorithmVersion: "jcs-sha256-v1",
  laneTriggerDigest: "0".repeat(64),
};
export const ids: Array<Promise<string>> = [
  deriveId("settlement_dimension", dimension),
  deriveKey("metering_input_work_operation", work, () => new Uint8Array(32)),
  // @ts-expect-error
  deriveId("settlement_dimension", work),
  // @ts-expect-error
  deriveKey("metering_input_work_operation", dimension),
  // @ts-expect-error
  deriveId("no_such_namespace", dimension),
  // @ts-expect-error
  deriveId("settlement_dimension", dimension, () => "text"),
];
export const candidate: Candidates["settlement_dimension"] = dimension;

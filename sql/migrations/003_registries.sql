-- The closed registries of the first release. Locks: none that anybody waits for. Duration: milliseconds.
set local lock_timeout = '5s';
set local search_path = pg_catalog, pg_temp;
set local role outbox_owner;

insert into outbox.settings (singleton) values (true);

insert into outbox.destinations (destination, consumer_name, ack_kind, receipt_type, receipt_schema_version, projection_required)
values
('core_operations', 'operations_projector', 'operations_projection', 'OperationsProjectionAppliedReceipt', '1', true),
('metering_input_processor', 'metering_input_processor_consumer', 'metering_input_processor', 'MeteringInputProcessorConsumerReceipt', '1', false),
('billing_finalization_coordinator', 'billing_finalization_coordinator_consumer', 'billing_finalization_coordinator', 'BillingFinalizationCoordinatorConsumerReceipt', '1', false),
('billing_settlement_catch_up', 'billing_settlement_catch_up_consumer', 'billing_settlement_catch_up', 'BillingSettlementCatchUpConsumerReceipt', '1', false);

insert into contracts.event_types (event_type, event_schema_version, producer, payload_schema)
values
('run.created@2.0', '2.0', 'core', null),
('wallet.reserved@2.0', '2.0', 'core', null),
('billing.finalization.committed@1', '1', 'billing', null),
('billing.settlement-transition.committed@1', '1', 'billing', null),
('billing.late-settlement-exposure.case-requested@1', '1', 'billing', null),
('billing.case-resolution.applied@1', '1', 'billing', null),
('billing.late-settlement-command-result.committed@1', '1', 'billing', null),
('billing.finalization-reconciliation.case-requested@1', '1', 'billing', 'FinalizationReconciliationCaseRequestedEvent@1'),
('billing.finalization-reconciliation-resolution.applied@1', '1', 'billing', 'FinalizationReconciliationResolutionAppliedEvent@1'),
('execution.attempt-eligibility.finalized@1', '1', 'execution', null),
('execution.run-finalization.closed@1', '1', 'execution', null),
('gateway.evidence-availability.current-changed@1', '1', 'gateway', null),
('metering.settlement-input.current-changed@1', '1', 'metering', 'SettlementInputCurrentChanged@1');

insert into outbox.error_codes (error_code, description)
values
('ack_missing', 'The consumer answered 2xx without a verdict.'),
('ack_malformed', 'The consumer''s answer is not a well-formed verdict, acknowledgement or receipt.'),
('receipt_digest_mismatch', 'The receipt''s digest is not the digest of the receipt.'),
('receipt_member_mismatch', 'The acknowledgement or receipt is not the one this delivery froze: another event, consumer, receipt or projection.'),
('released_unsent', 'The dispatcher stopped before it called the consumer. Not counted by an exhaustion policy.'),
('schema_unknown_to_dispatcher', 'This dispatcher does not know the schema; a newer one may.'),
('envelope_integrity_failed', 'The stored envelope is not canonical or does not hash to its digest.'),
('payload_schema_violation', 'The payload violates the schema of its event type.'),
('attempts_exhausted', 'The configured number of failed attempts was reached.'),
('lease_expired_unknown', 'The lease ran out before an outcome was recorded; the consumer may have been called.'),
('lease_lost', 'The dispatcher lost its lease while the call was in flight.'),
('unregistered_error_code', 'The consumer used an error code that is not registered.'),
('http_redirect', 'The consumer answered 3xx; redirects are not followed.'),
('http_bad_request', 'The consumer answered 400 without a verdict.'),
('http_unauthorized', 'The consumer answered 401.'),
('http_forbidden', 'The consumer answered 403.'),
('http_not_found', 'The consumer answered 404.'),
('http_method_not_allowed', 'The consumer answered 405.'),
('http_request_timeout', 'The consumer answered 408.'),
('http_conflict', 'The consumer answered 409 without a verdict.'),
('http_gone', 'The consumer answered 410.'),
('http_unprocessable', 'The consumer answered 422 without a verdict.'),
('http_too_many_requests', 'The consumer answered 429 without a verdict.'),
('http_client_error', 'The consumer answered another 4xx.'),
('http_server_error', 'The consumer answered 5xx.'),
('http_unexpected_status', 'The consumer answered a status outside of 200 to 599.'),
('connection_refused', 'The consumer''s address refused the connection.'),
('connection_reset', 'The connection broke before the answer was complete.'),
('connection_failed', 'The connection could not be made.'),
('dns_failure', 'The consumer''s host name could not be resolved.'),
('tls_failure', 'The TLS handshake failed.'),
('timeout', 'The call ran past its deadline.'),
('response_too_large', 'The answer is larger than the cap.'),
('response_unreadable', 'The answer could not be read to its end.'),
('call_cancelled', 'The dispatcher cancelled the call.'),
('consumer_unavailable', 'Consumer: temporarily unable to work.'),
('consumer_capacity', 'Consumer: protects its capacity.'),
('dependency_unavailable', 'Consumer: something it depends on is unavailable.'),
('owner_read_unavailable', 'Consumer: an owner''s facts cannot be read for now.'),
('revision_gap', 'Consumer: an earlier revision of the aggregate is missing.'),
('fence_not_bindable', 'Consumer: the fence this event belongs to does not exist yet.'),
('not_yet_consistent', 'Consumer: facts the event depends on have not arrived.'),
('schema_unknown', 'Consumer: the event type or schema is unknown.'),
('version_unsupported', 'Consumer: the schema version is not supported.'),
('payload_digest_conflict', 'Consumer: the same identity was seen with another digest.'),
('envelope_invariant_violated', 'Consumer: envelope and payload contradict each other.'),
('identity_conflict', 'Consumer: the event contradicts an identity on record.'),
('event_unprocessable', 'Consumer: the event can never be processed.');

-- Autovacuum never looks at tables this small: without this the planner would only guess.
analyze contracts.event_types;
analyze outbox.destinations;
analyze outbox.error_codes;
analyze outbox.settings;

reset role;

set local search_path = pg_catalog, pg_temp;
set local role outbox_owner;
insert into contracts.schemas (schema, document, quick_check)
values
('CommonTypes@1', '{"$id": "urn:oceanway:contracts:CommonTypes@1"}', null),
('EventEnvelope@1', '{"$id": "urn:oceanway:contracts:EventEnvelope@1"}', null),
('DeliverySetDefinition@1', '{"$id": "urn:oceanway:contracts:DeliverySetDefinition@1"}', null),
('ActiveConsumerAck@1', '{"$id": "urn:oceanway:contracts:ActiveConsumerAck@1"}', null),
('ConsumerVerdict@1', '{"$id": "urn:oceanway:contracts:ConsumerVerdict@1"}', null),
('OperationsProjectionAppliedReceipt@1', '{"$id": "urn:oceanway:contracts:OperationsProjectionAppliedReceipt@1"}', null),
('MeteringInputProcessorConsumerReceipt@1', '{"$id": "urn:oceanway:contracts:MeteringInputProcessorConsumerReceipt@1"}', null),
('BillingFinalizationCoordinatorConsumerReceipt@1', '{"$id": "urn:oceanway:contracts:BillingFinalizationCoordinatorConsumerReceipt@1"}', null),
('BillingSettlementCatchUpConsumerReceipt@1', '{"$id": "urn:oceanway:contracts:BillingSettlementCatchUpConsumerReceipt@1"}', null),
('SettlementEconomicIdentity@1', '{"$id": "urn:oceanway:contracts:SettlementEconomicIdentity@1"}', null),
('BillingSettlementInputPointer@1', '{"$id": "urn:oceanway:contracts:BillingSettlementInputPointer@1"}', null),
('SettlementInputCurrentChanged@1', '{"$id": "urn:oceanway:contracts:SettlementInputCurrentChanged@1"}', null),
('FinalizationReconciliationCaseRequestedEvent@1', '{"$id": "urn:oceanway:contracts:FinalizationReconciliationCaseRequestedEvent@1"}', null),
('FinalizationReconciliationResolutionAppliedEvent@1', '{"$id": "urn:oceanway:contracts:FinalizationReconciliationResolutionAppliedEvent@1"}', null);
reset role;

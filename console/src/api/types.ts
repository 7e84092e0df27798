import type { components, paths } from '../generated/ops.ts';

type Schemas = components['schemas'];
type ResponseOf<Path extends keyof paths> = paths[Path] extends {
  get: { responses: { 200: { content: { 'application/json': infer Body } } } };
}
  ? Body
  : never;

export type Overview = Schemas['Overview'];
export type Projection = Schemas['Projection'];
export type Replay = Schemas['Replay'];
export type ListedJob = Schemas['ListedJob'];
export type ShownJob = Schemas['ShownJob'];
export type QuarantineReason = ResponseOf<'/ops/v1/quarantine'>['reasons'][number];
export type QuarantinedEvent = ResponseOf<'/ops/v1/quarantine'>['events'][number];
export type UnknownReference = ResponseOf<'/ops/v1/unknown-references'>['references'][number];
export type ParkedEvent = ResponseOf<'/ops/v1/parked'>['parked'][number];
export type Cluster = ResponseOf<'/ops/v1/cluster'>;
export type Member = Schemas['Member'];
export type Replica = Schemas['Replica'];
export type Diagnosis = ResponseOf<'/ops/v1/doctor'>;
export type Finding = Schemas['Finding'];
export type DevicePage = ResponseOf<'/ops/v1/devices'>;
export type ListedDevice = DevicePage['devices'][number];
export type DeviceTimeline = Schemas['DeviceTimeline'];
export type Outage = Schemas['ListedOutage'];
export type Webhook = Schemas['Webhook'];
export type WebhookDelivery = Schemas['WebhookDelivery'];
export type CompletenessPage = ResponseOf<'/ops/v1/completeness'>;
export type ScreenHours = CompletenessPage['screens'][number];
export type Network = ResponseOf<'/ops/v1/networks'>['networks'][number];
export type NetworkSummary = Schemas['NetworkSummary'];
export type AuditedAction = Schemas['AuditedAction'];
export type ApiKey = Schemas['ApiKey'];
export type Client = Schemas['Client'];
export type Analyst = Schemas['Analyst'];
export type Account = Schemas['Account'];
export type Balance = ResponseOf<'/ops/v1/balance'>;
export type BalanceHour = Balance['hours'][number];
export type Refusals = Schemas['Refusals'];
export type ShownEvent = Schemas['ShownEvent'];
export type RegistryFile = ResponseOf<'/ops/v1/registry'>;
export type AppliedRegistry = Schemas['AppliedRegistry'];
export type MappingInForce = Schemas['MappingInForce'];
export type TestedMapping = Schemas['TestedMapping'];
export type Mapping = paths['/ops/v1/mappings']['post']['requestBody']['content']['application/json'];

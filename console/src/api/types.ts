import type { components, paths } from '../generated/ops.ts';

type Schemas = components['schemas'];
/** The body of the 200 response to a GET. */
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
export type ParkedEvent = ResponseOf<'/ops/v1/parked'>['parked'][number];
/** The name of a projection that can have parked events. */
export type ParkingProjection = NonNullable<
  paths['/ops/v1/parked/retry']['post']['requestBody']
>['content']['application/json']['projection'];
export type Diagnosis = ResponseOf<'/ops/v1/doctor'>;
export type Finding = Schemas['Finding'];
export type DevicePage = ResponseOf<'/ops/v1/devices'>;
export type ListedDevice = DevicePage['devices'][number];
export type Outage = Schemas['ListedOutage'];
export type CompletenessPage = ResponseOf<'/ops/v1/completeness'>;
export type ScreenHours = CompletenessPage['screens'][number];
export type Network = ResponseOf<'/ops/v1/networks'>['networks'][number];

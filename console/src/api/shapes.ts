import type { components, paths } from '../generated/ops.ts';

type Schemas = components['schemas'];
/** What a GET answers with. */
type Got<Path extends keyof paths> = paths[Path] extends {
  get: { responses: { 200: { content: { 'application/json': infer Told } } } };
}
  ? Told
  : never;

export type Overview = Schemas['Overview'];
export type Problem = Schemas['Problem'];
export type Projection = Schemas['Projection'];
export type Replay = Schemas['Replay'];
export type ListedJob = Schemas['ListedJob'];
export type ShownJob = Schemas['ShownJob'];
export type Reason = Got<'/ops/v1/quarantine'>['reasons'][number];
export type WaitingEvent = Got<'/ops/v1/quarantine'>['events'][number];
export type ParkedEvent = Got<'/ops/v1/parked'>['parked'][number];
export type Diagnosis = Got<'/ops/v1/doctor'>;
export type Finding = Diagnosis['findings'][number];
export type ListedDevice = Got<'/ops/v1/devices'>['devices'][number];
export type Outage = Schemas['ListedOutage'];
export type Hours = Got<'/ops/v1/completeness'>;
export type ScreenHours = Hours['screens'][number];
export type Network = Got<'/ops/v1/networks'>['networks'][number];

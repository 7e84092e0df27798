import type { Check, Finding, Store } from '@popsvc/contracts/diagnostics';
import type { ClickHouseReader, ClickHouseWriter } from '@popsvc/platform/clickhouse';
import type { EventStore } from '@popsvc/platform/event-store';
import type { NatsStatus } from '@popsvc/platform/message-bus';
import type { Postgres, SecretSealer } from '@popsvc/platform/postgres';
import type { ProjectionDeclaration } from '@popsvc/read-models/generations';

export type Need = Exclude<Store, 'clickhouse'> | CheckedShard;

export interface ServiceEndpoint {
  readonly name: string;
  readonly url: string;
  /** The environment variable that contains the address. */
  readonly variable: string;
}

export interface RunningProjection {
  readonly name: string;
  readonly generation: number;
  readonly state: string;
  readonly error: string | undefined;
  /** Whether `/readyz` of this process depends on the projection. */
  readonly isNeeded: boolean;
  /** When the newest projected event was appended; 0 before the first one. */
  readonly asOfMs: number;
}

export interface CheckedShard {
  readonly writer: ClickHouseWriter;
  readonly reader: ClickHouseReader;
  readonly declarations: readonly ProjectionDeclaration[];
}

export const defaultCheckTimeoutMs = 4_000;

export interface DiagnosticsDependencies {
  readonly store: EventStore;
  readonly shards: readonly CheckedShard[];
  readonly postgres: Postgres;
  readonly secretSealer: SecretSealer;
  readonly requireSyncStandby: boolean;
  /** Undefined if NATS is not used. */
  readonly bus?: (() => Promise<NatsStatus>) | undefined;
  readonly listRunningProjections: () => readonly RunningProjection[];
  /** Folders whose free disk space is checked. They may contain results of backups and of checks of the event log. */
  readonly folders: readonly string[];
  readonly services: readonly ServiceEndpoint[];
  /** Default: `defaultCheckTimeoutMs`. */
  readonly checkTimeoutMs?: number;
}

export interface ShardDependencies extends CheckedShard, Pick<DiagnosticsDependencies, 'postgres'> {}

interface CheckEvaluation {
  readonly check: Check;
  /** Stores without which the check is skipped. */
  readonly needs?: readonly Store[];
}

/** `down` contains the stores and shards whose own checks failed. */
export interface ServiceEvaluation extends CheckEvaluation {
  readonly needs?: readonly Exclude<Store, 'clickhouse'>[];
  evaluate(dependencies: DiagnosticsDependencies, down: ReadonlySet<Need>): Promise<readonly Finding[]>;
}

/** For `any shard`, all shards have the same rows: the check runs once, if possible on a shard that answers. */
export interface ShardEvaluation extends CheckEvaluation {
  readonly scope: 'each shard' | 'any shard';
  evaluate(shard: ShardDependencies): Promise<readonly Finding[]>;
}

export type Evaluation = ServiceEvaluation | ShardEvaluation;

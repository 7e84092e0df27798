import type { BusFacts } from '@popsvc/platform/message-bus';
import type { EventStore } from '@popsvc/platform/event-store';
import type { Reader, Writer } from '@popsvc/platform/clickhouse';
import type { Records } from '@popsvc/platform/postgres';
import type { Board } from '../../run/board.ts';

/** Another process of the service, as this one reaches it. */
export interface Neighbour {
  readonly name: string;
  readonly url: string;
  /** The variable that says where it is. */
  readonly variable: string;
}

/** What doctor looks at. */
export interface DoctorParts {
  readonly store: EventStore;
  readonly writer: Writer;
  readonly reader: Reader;
  readonly records: Records;
  /** Undefined: the bus is the log, and there is no NATS. */
  readonly bus?: (() => Promise<BusFacts>) | undefined;
  readonly board: Pick<Board, 'standings'>;
  /** Folders whose disks must not be full. */
  readonly folders: readonly string[];
  readonly neighbours: readonly Neighbour[];
}

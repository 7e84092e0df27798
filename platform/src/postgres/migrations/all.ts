import { apiKeys } from './0001-api-keys.ts';
import { idempotencyKeys } from './0002-idempotency-keys.ts';
import { clients } from './0003-clients.ts';
import { projections } from './0004-projections.ts';
import { signingKeys } from './0005-signing-keys.ts';
import { requestsWithoutStream } from './0006-requests-without-stream.ts';
import { apiKeyRates } from './0007-api-key-rates.ts';
import { busMessages } from './0008-bus-messages.ts';
import { liveness } from './0009-liveness.ts';
import { generations } from './0010-generations.ts';
import { parking } from './0011-parking.ts';
import { replays } from './0012-replays.ts';
import { builds } from './0013-builds.ts';
import { figures } from './0014-figures.ts';
import { analysts } from './0015-analysts.ts';
import { unsafeEnds } from './0016-unsafe-ends.ts';
import { replayFigures } from './0017-replay-figures.ts';
import { lackingGenerations } from './0018-lacking-generations.ts';
import { endedSessions } from './0019-ended-sessions.ts';
import type { Migration } from './migration.ts';

/** Every step, in order; one line each. */
export const migrations: readonly Migration[] = [
  apiKeys,
  idempotencyKeys,
  clients,
  projections,
  signingKeys,
  requestsWithoutStream,
  apiKeyRates,
  busMessages,
  liveness,
  generations,
  parking,
  replays,
  builds,
  figures,
  analysts,
  unsafeEnds,
  replayFigures,
  lackingGenerations,
  endedSessions,
];

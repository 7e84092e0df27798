import { livenessStream } from '@popsvc/contracts/events';
import { toLivenessEvent } from '@popsvc/domain/status';
import type { TestSystem } from '../support/test-system.ts';
import { idOf, textOf } from '../tenants/marks.ts';
import { registryOf } from '../tenants/tenants-world.fixture.ts';

const startMs = Date.parse('2026-08-20T14:00:00.000Z');
const at = (seconds: number): string => new Date(startMs + seconds * 1_000).toISOString();

/** Appends the same data in every network; every name and id carries the mark of its network. */
export const fillMarked = async (system: TestSystem, networks: readonly number[]): Promise<void> => {
  for (const k of networks) {
    await system.register(registryOf(k));
    const from = { network: idOf(k), vendor: `zq${k}x`, receivedAt: at(60) };
    for (let index = 0; index < 12; index++) {
      const eventId = textOf(k, `play ${index}`);
      const screenId = textOf(k, `screen ${30 + (index % 2)}`);
      await system.play({ eventId, screenId, campaignId: 'C-1', creativeId: 'CR-1', playedAt: at(index * 10) }, from);
    }
    const seen = {
      deviceId: idOf(k, 30),
      feederId: idOf(k, 40),
      reid: textOf(k, 'reid'),
      startedAt: at(5),
      endedAt: at(25),
    };
    const watches = [{ startedAt: at(6), endedAt: at(20) }];
    for (let index = 0; index < 3; index++) {
      const detectionId = textOf(k, `detection ${index}`);
      await system.detection({ ...seen, detectionId, watcherId: idOf(k, 80 + index), watches }, from);
    }
    await system.heartbeat({ deviceId: idOf(k, 30), at: at(0) }, from);
    await system.heartbeat({ feederId: idOf(k, 40), at: at(0) }, from);
    for (const [kind, id] of [
      ['device', idOf(k, 31)],
      ['feeder', idOf(k, 41)],
    ] as const) {
      const event = toLivenessEvent(
        { kind, id },
        { status: 'offline', offlineAtMs: startMs, lastReceivedMs: startMs - 300_000 },
      );
      await system.append(livenessStream(kind, id), event.type, event.data, from);
    }
  }
  await system.project();
};

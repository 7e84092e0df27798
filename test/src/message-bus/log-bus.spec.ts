import { createLogBus } from '@popsvc/platform/message-bus';
import { busSuite } from './bus.suite.ts';
import { log, openGround } from './buses.fixture.ts';

describe('bus: the log', () => {
  busSuite(async () => {
    const ground = await openGround();
    const buses: ReturnType<typeof createLogBus>[] = [];
    return {
      ground,
      open(metrics) {
        const bus = createLogBus({ ...ground, log, ...(metrics && { metrics }) });
        buses.push(bus);
        return bus;
      },
      async close() {
        await Promise.all(buses.map((bus) => bus.close()));
        await ground.close();
      },
    };
  });
});

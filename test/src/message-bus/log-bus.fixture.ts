import { createLogBus } from '@popsvc/platform/message-bus';
import { log, openTestStores } from './bus.fixture.ts';
import type { BusUnderTest } from './message-bus.suite.ts';

export const openLogBuses = async (): Promise<BusUnderTest> => {
  const stores = await openTestStores();
  const buses: ReturnType<typeof createLogBus>[] = [];
  return {
    stores,
    open(metrics) {
      const bus = createLogBus({ ...stores, log, ...(metrics && { metrics }) });
      buses.push(bus);
      return bus;
    },
    async close() {
      await Promise.all(buses.map((bus) => bus.close()));
      await stores.close();
    },
  };
};

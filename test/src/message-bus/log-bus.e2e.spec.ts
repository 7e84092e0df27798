import { openLogBuses } from './log-bus.fixture.ts';
import { busSuite } from './message-bus.suite.ts';

describe('log bus, with a message that is held for longer than its timeout', () => {
  busSuite(openLogBuses);
});

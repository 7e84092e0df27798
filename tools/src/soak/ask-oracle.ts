import { caughtUp } from './read-model-oracle.ts';
import { type Question, questionsToService, questionsToStores } from './oracle.ts';
import type { SoakSystem, Soaked } from './run-soak.ts';
import { startStores, storesOf } from './stores.ts';

const patienceMs = 10 * 60_000;

/** Asks all there is to ask of a service that was left alone, and stops it. What is wrong is complained about. */
export const askOracle = async (
  { service }: SoakSystem,
  { ledger, ask, beganMs, faults }: Soaked,
  complain: (text: string) => void,
  say: (text: string) => void,
): Promise<readonly (readonly [string, string])[]> => {
  const answers: (readonly [string, string])[] = [];
  const askAll = async (questions: readonly Question[]): Promise<void> => {
    for (const question of questions) {
      const found = await question.ask().catch((error: unknown) => {
        complain(`${question.name}: ${error instanceof Error ? error.message : String(error)}`);
        return 'NO';
      });
      answers.push([question.name, found]);
      say(`${question.name}: ${found}\n`);
    }
  };
  const { dataDir } = service;
  const killsOfClickHouse = faults.filter(({ what }) => what === 'clickhouse' || what === 'everything').length;
  const running = storesOf(dataDir, service.endpoints);
  const catchUp: Question = {
    name: 'all that is in the log is projected',
    ask: async () => `after ${((await caughtUp(running, patienceMs)) / 1_000).toFixed(1)} s`,
  };
  const end: Question = {
    name: 'the service ends when it is asked to, and has logged no secret',
    async ask() {
      const code = await service.stop();
      if (code !== 0) throw new Error(`it ended with ${code}`);
      return `code ${code}`;
    },
  };
  await askAll([catchUp, ...questionsToService(running, ledger, ask, dataDir, { beganMs, killsOfClickHouse })]);
  await running.close();
  await askAll([end]);
  const alone = await startStores(dataDir);
  await askAll(questionsToStores(alone));
  await alone.close();
  return answers;
};

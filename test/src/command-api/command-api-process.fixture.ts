import { fileURLToPath } from 'node:url';
import { type SupervisedProcess, startSupervisedProcess } from '@popsvc/embedded/supervisor';
import { temporaryFolder } from '@popsvc/tools/rig';
import { signingKey } from '../support/uploads.ts';

export const commandApiMain = fileURLToPath(new URL('../../../command-api/dist/main.js', import.meta.url));
export const operatorToken = 'operator-token-of-tests';

/**
 * Environment of a process with a heap of 128 MB, which ends when it needs more. Tests of memory use need a fixed heap: with a large
 * one, the release of Node.js decides how much garbage remains. Node 24 also has a larger young generation unless it is limited.
 */
export const smallHeap = { NODE_OPTIONS: '--max-old-space-size=128 --max-semi-space-size=16' };

export interface CommandApiProcess {
  readonly baseUrl: string;
  readonly part: SupervisedProcess;
  /** Resolves when the process reports that it is stopping. */
  readonly stops: Promise<void>;
  stop(): Promise<void>;
}

/** Starts command-api as a process of its own. */
export const startCommandApi = async (
  eventStoreUrl: string,
  databaseUrl: string,
  env: Readonly<Record<string, string>> = {},
): Promise<CommandApiProcess> => {
  let resolveStops: () => void;
  const stops = new Promise<void>((resolve) => (resolveStops = resolve));
  const part = await startSupervisedProcess({
    name: 'command-api',
    run: { entry: commandApiMain },
    env: {
      COMMAND_API_PORT: '0',
      EVENTSTORE_URL: eventStoreUrl,
      DATABASE_URL: databaseUrl,
      POPSVC_OPERATOR_TOKEN: operatorToken,
      UPLOAD_SIGNING_KEY: signingKey,
      DATA_DIR: await temporaryFolder('uploads'),
      LOG_LEVEL: 'fatal',
      ...env,
    },
    ready: 'json-line',
    restart: false,
    onLine: ({ text }) => {
      if (text === '{"ready":false}') resolveStops();
    },
  });
  const baseUrl = `http://127.0.0.1:${String(part.readyLine()?.['port'])}`;
  return { baseUrl, part, stops, stop: () => part.stop() };
};

import { fileURLToPath } from 'node:url';
import { type SupervisedProcess, startSupervisedProcess } from '@popsvc/embedded/supervisor';
import { temporaryFolder } from '@popsvc/tools/rig';
import { signingKey } from '../support/uploads.ts';

export const commandApiMain = fileURLToPath(new URL('../../../command-api/dist/main.js', import.meta.url));
export const operatorToken = 'operator-token-of-tests';

/**
 * Limits the old generation to 128 MB and the young generation to 48 MB. Node.js aborts if the process needs more. With a large heap,
 * the release of Node.js decides when it collects garbage, and thereby how much memory a process uses. The server admits bodies of
 * an eighth of this heap, 22 MiB, at a time.
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

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { CliError } from './output/cli-error.ts';

/** Only the package `embedded` implements the file formats of the log and of backups. */
const tools = {
  log: new URL('../../embedded/dist/event-store/maintenance/log-tool.js', import.meta.url),
  backup: new URL('../../embedded/dist/backup/backup-tool.js', import.meta.url),
};

/** Returns the JSON that the tool prints. The tool `backup` ends if this process ends. */
export const runTool = async (name: keyof typeof tools, args: readonly string[]): Promise<unknown> => {
  const path = fileURLToPath(tools[name]);
  if (!existsSync(path))
    throw new CliError(`${path} is missing: build the service first (npm run build), in the checkout that runs it.`);
  const child = spawn(process.execPath, ['--enable-source-maps', path, ...args], {
    stdio: ['pipe', 'pipe', 'pipe'],
    env: { ...process.env, STOP_WITH_PARENT: '1' },
  });
  const [printed, complaint] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  if (printed === '') throw new CliError(complaint.trim() || `the tool ended with code ${String(child.exitCode)}`);
  return JSON.parse(printed);
};

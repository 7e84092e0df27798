import { readFileSync } from 'node:fs';
import { fillDisk, makeRoom } from './full-disk.fixture.ts';

/*
 * Loaded into a node's process before its program (`--import`). The file LIMITED_DISK contains the number of bytes that can still be
 * written; without text, there is no limit.
 */
let applied = '';

const applyLimit = (): void => {
  const room = readFileSync(process.env['LIMITED_DISK']!, 'utf8');
  if (room === applied) return;
  applied = room;
  makeRoom();
  if (room !== '') fillDisk(Number(room));
};

applyLimit();
setInterval(applyLimit, 5).unref();

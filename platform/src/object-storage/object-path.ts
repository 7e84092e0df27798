import { join } from 'node:path';

const keyForm = /^uploads(\/[A-Za-z0-9][A-Za-z0-9_-]*)+$/;

/** The file a key stands for. A key of any other form never reaches the disk, whoever made it. */
export const objectPath = (dir: string, key: string): string => {
  if (!keyForm.test(key)) throw new RangeError('not the key of an upload');
  return join(dir, ...key.split('/'));
};

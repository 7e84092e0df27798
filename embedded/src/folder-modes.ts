import { chmodSync, statSync } from 'node:fs';

/** Sets the mode of a folder, if it exists. A folder of another account, such as a mounted volume, keeps its mode: only its owner can change it. */
export const restrictFolder = (path: string, mode: number): void => {
  const folder = statSync(path, { throwIfNoEntry: false });
  const account = process.getuid?.();
  if (folder && (account === 0 || folder.uid === account)) chmodSync(path, mode);
};

/** An error that the operator can fix. Programs print the message without a stack trace, so the message must state what to do. */
export class OperatorError extends Error {
  override readonly name: string = 'OperatorError';
}

const fileSystemAdvice: Readonly<Record<string, string>> = {
  EACCES: 'give the user that runs this program read and write access to it',
  EPERM: 'give the user that runs this program read and write access to it',
  EROFS: 'mount the file system for writing, or choose another folder',
  ENOTDIR: 'choose a folder: a part of the path is a file',
  EEXIST: 'choose a folder: the path is a file',
  EISDIR: 'remove the folder with the name of a file, or choose another folder',
  ENAMETOOLONG: 'choose a shorter path',
  ELOOP: 'remove the symbolic links that refer to each other, or choose another folder',
  ENOSPC: 'free space on the disk, or choose a folder on another one',
  EDQUOT: 'free space within the quota, or choose a folder on another disk',
};

export const describeFailure = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error);
  if (error instanceof OperatorError) return error.message;
  const { code = '', path } = error as NodeJS.ErrnoException;
  const advice = path === undefined ? undefined : fileSystemAdvice[code];
  return advice === undefined ? (error.stack ?? error.message) : `${path} cannot be used (${error.message}): ${advice}`;
};

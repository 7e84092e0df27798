import type { ErrorCode } from '@popsvc/contracts/errors';

const capital = (word: string): string => word.charAt(0) + word.slice(1).toLowerCase();
const nameOf = (code: ErrorCode): string => code.split('_').map(capital).join('');

/** What an error reply is called that tells these codes: `InvalidParam`, `InvalidEventOrInvalidParam`. */
export const refusedName = (codes: readonly ErrorCode[]): string => codes.map(nameOf).join('Or');

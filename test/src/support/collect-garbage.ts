import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** All that can be collected is collected now. */
export const collectGarbage = (): void => {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
};

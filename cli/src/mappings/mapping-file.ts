import { fileURLToPath } from 'node:url';
import { describeZodIssue, toErrorDetails } from '@popsvc/contracts/errors';
import { Mapping } from '@popsvc/contracts/mappings';
import { dropNulls } from '@popsvc/contracts/nulls';
import { formatPlace, readStructuredFile } from '../files/structured-file.ts';
import { CliError } from '../output/cli-error.ts';

/** Throws a CliError with the line and column of each error of an invalid mapping. */
export const readMapping = async (path: string): Promise<Mapping> => {
  const file = await readStructuredFile(path);
  const result = Mapping.safeParse(dropNulls(Mapping, file.value), { error: describeZodIssue });
  if (result.success) return result.data;
  throw new CliError(
    `${path} is not a valid mapping.`,
    toErrorDetails(result.error.issues).map(({ path: fieldPath, message }) => ({
      path: formatPlace(file, fieldPath),
      message,
    })),
  );
};

export const readShippedMapping = (name: 'playout-digital'): Promise<Mapping> =>
  readMapping(fileURLToPath(new URL(`../../../docs/mappings/${name}.yaml`, import.meta.url)));

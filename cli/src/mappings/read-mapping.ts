import { toErrorDetails, describeZodIssue } from '@popsvc/contracts/errors';
import { Mapping } from '@popsvc/contracts/mappings';
import { Failure } from '../program/failure.ts';
import { readStructured } from '../registry/read-structured.ts';
import { placeInFile } from '../registry/refused-file.ts';

/** A mapping file, YAML or JSON. What is wrong with it is told with line and column, all of it. */
export const readMapping = async (path: string): Promise<Mapping> => {
  const { value, locate } = await readStructured(path);
  const read = Mapping.safeParse(value, { error: describeZodIssue });
  if (read.success) return read.data;
  throw new Failure(
    `${path} is no mapping.`,
    toErrorDetails(read.error.issues).map(({ path: at, message }) => ({ path: placeInFile(locate(at), at), message })),
  );
};

import { Failure } from '../program/failure.ts';
import type { StructuredFile } from './read-structured.ts';

/** `file:line:column: field`; of the whole file no field is named. */
export const placeInFile = (place: string, at: string): string => (at === '' ? place : `${place}: ${at}`);

/** What the service refused of a file, each thing with its line and column there. */
export const refusedFile = (path: string, { locate }: StructuredFile, error: unknown): unknown =>
  error instanceof Failure && error.details.length > 0
    ? new Failure(
        `${path} is refused: nothing was changed.`,
        error.details.map(({ path: at, message }) => ({ path: placeInFile(locate(at), at), message })),
      )
    : error;

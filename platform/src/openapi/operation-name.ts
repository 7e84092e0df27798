import type { Route } from '../http/route.ts';

const capital = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);

/** What generated clients call an operation: its own name, or one made of method and path. */
export const operationIdOf = ({ operationId, method, path }: Pick<Route, 'operationId' | 'method' | 'path'>): string =>
  operationId ??
  method +
    path
      .split(/[^A-Za-z0-9]+/)
      .map(capital)
      .join('');

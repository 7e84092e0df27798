import type { Route } from '../http/route.ts';

const capital = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);

/** What generated clients call an operation: its own name, or one made of method and path. */
export const operationName = ({ operation, method, path }: Pick<Route, 'operation' | 'method' | 'path'>): string =>
  operation ??
  method +
    path
      .split(/[^A-Za-z0-9]+/)
      .map(capital)
      .join('');

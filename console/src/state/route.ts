import { signal } from '@preact/signals';

/** For example, `#/devices/31` or `#/devices?status=offline`. */
export interface Route {
  readonly view: string;
  /** Empty for a list. */
  readonly id: string;
  readonly query: URLSearchParams;
}

const parseHash = (hash: string): Route => {
  const [path = '', query = ''] = hash.replace(/^#\/?/, '').split('?');
  const [view = '', id = ''] = path.split('/').map(decodeURIComponent);
  return { view: view || 'overview', id, query: new URLSearchParams(query) };
};

const readRoute = (): Route => {
  try {
    return parseHash(location.hash);
  } catch {
    // The hash contains an invalid percent escape.
    return parseHash('');
  }
};

export const route = signal<Route>(readRoute());
addEventListener('hashchange', () => (route.value = readRoute()));

export type Filters = Readonly<Record<string, string | number | undefined>>;

export const hrefTo = (view: string, id: string | number = '', filters: Filters = {}): string => {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(filters))
    if (value !== undefined && value !== '') query.set(name, String(value));
  const text = query.toString();
  return `#/${view}${id === '' ? '' : `/${encodeURIComponent(id)}`}${text === '' ? '' : `?${text}`}`;
};

/** Replaces the history entry, so that the Back button does not undo each typed letter. */
export const updateFilters = (filters: Filters): void => {
  const { view, id, query } = route.value;
  history.replaceState(null, '', hrefTo(view, id, { ...Object.fromEntries(query), ...filters }));
  route.value = readRoute();
};

export const navigate = (href: string): void => {
  location.hash = href;
};

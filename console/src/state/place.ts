import { signal } from '@preact/signals';

/** Where in the console the reader is: `#/devices/31?status=offline`. */
export interface Place {
  readonly view: string;
  /** Of the one thing that is looked at; empty on a list. */
  readonly id: string;
  readonly query: URLSearchParams;
}

const read = (hash: string): Place => {
  const [path = '', query = ''] = hash.replace(/^#\/?/, '').split('?');
  const [view = '', id = ''] = path.split('/').map(decodeURIComponent);
  return { view: view || 'overview', id, query: new URLSearchParams(query) };
};

const here = (): Place => {
  try {
    return read(location.hash);
  } catch {
    // A percent sign that means nothing.
    return read('');
  }
};

export const place = signal<Place>(here());
addEventListener('hashchange', () => (place.value = here()));

export type Filters = Readonly<Record<string, string | number | undefined>>;

/** The address of a place, as a link has it. */
export const addressOf = (view: string, id: string | number = '', filters: Filters = {}): string => {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(filters))
    if (value !== undefined && value !== '') query.set(name, String(value));
  const text = query.toString();
  return `#/${view}${id === '' ? '' : `/${encodeURIComponent(id)}`}${text === '' ? '' : `?${text}`}`;
};

/** Changes what the list shows; the way back leads to where the reader came from, not through every letter. */
export const refine = (filters: Filters): void => {
  const { view, id, query } = place.value;
  history.replaceState(null, '', addressOf(view, id, { ...Object.fromEntries(query), ...filters }));
  place.value = here();
};

export const go = (address: string): void => {
  location.hash = address;
};

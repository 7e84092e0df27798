import { type Frame, streamNoOf } from '../log/index.ts';
import { type StreamStore, typeOf } from '../streams/index.ts';
import { invalid } from './failure.ts';
import { type FilterRequest } from './filter-request.ts';

/** Internal streams that no read of $all shows, whatever its filter. */
const hidden = /^(\$epoch-information$|\$persistentsubscription-\$all::.*-(checkpoint|parked)$)/;

/** Answers of the last types seen; events have few types, and a filter on thousands of them starts again. */
const rememberedTypes = 4096;

const matcher = (filter: FilterRequest): ((text: string) => boolean) => {
  if (filter.regex === '') return (text) => filter.prefixes.some((prefix) => text.startsWith(prefix));
  try {
    const pattern = new RegExp(filter.regex, 'u');
    return (text) => pattern.test(text);
  } catch {
    throw invalid(`The filter is not a regular expression: ${filter.regex}`);
  }
};

/** Decides which events of $all a reader gets. Looks at a stream's name or an event's type once, then remembers. */
export class EventFilter {
  readonly #store: StreamStore;
  readonly #streams = new Map<number, boolean>();
  readonly #types = new Map<string, boolean>();
  readonly #onStream: ((name: string) => boolean) | undefined;
  readonly #onType: ((type: string) => boolean) | undefined;

  constructor(store: StreamStore, filter: FilterRequest | undefined) {
    this.#store = store;
    if (filter?.on === 'stream') this.#onStream = matcher(filter);
    if (filter?.on === 'type') this.#onType = matcher(filter);
  }

  matches(frame: Frame): boolean {
    const no = streamNoOf(frame.bytes, frame.at);
    let shown = this.#streams.get(no);
    if (shown === undefined) {
      const name = this.#store.nameOf(no);
      shown = !hidden.test(name) && (this.#onStream?.(name) ?? true);
      this.#streams.set(no, shown);
    }
    return shown && (this.#onType === undefined || this.#typeMatches(frame, this.#onType));
  }

  #typeMatches(frame: Frame, onType: (type: string) => boolean): boolean {
    const type = typeOf(frame);
    let matches = this.#types.get(type);
    if (matches === undefined) {
      if (this.#types.size >= rememberedTypes) this.#types.clear();
      matches = onType(type);
      this.#types.set(type, matches);
    }
    return matches;
  }
}

const defaultWindow = 32;

/** Filter of a request and, for subscriptions, how often it wants a checkpoint (0: never). */
export const readFilterOptions = (
  store: StreamStore,
  request: FilterRequest | 'none' | undefined,
): { readonly filter: EventFilter; readonly window: number; readonly checkpointEvery: number } => {
  if (request === undefined) throw invalid('The filter option is missing');
  if (request === 'none')
    return { filter: new EventFilter(store, undefined), window: defaultWindow, checkpointEvery: 0 };
  if (request.on === undefined) throw invalid('The filter names neither stream nor event type');
  if (request.window === undefined) throw invalid('The filter has no window');
  if (request.checkpointIntervalMultiplier === 0) throw invalid('The checkpoint interval multiplier must be above 0');
  const window = request.window === 'count' ? defaultWindow : Math.max(1, request.window);
  return {
    filter: new EventFilter(store, request),
    window,
    checkpointEvery: window * request.checkpointIntervalMultiplier,
  };
};

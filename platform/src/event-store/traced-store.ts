import { type SpanOptions, runInSpan, iterateInSpan } from '../telemetry/index.ts';
import type { EventStore } from './port.ts';

const asked = (operation: string, stream?: string): SpanOptions => ({
  name: `eventstoredb ${operation}`,
  kind: 'client',
  attributes: {
    'db.system.name': 'eventstoredb',
    'db.operation.name': operation,
    ...(stream !== undefined && { 'db.collection.name': stream }),
  },
});

/** A log whose calls are seen in traces; what follows it for as long as a process lives is not. */
export const tracedStore = (store: EventStore): EventStore => ({
  ...store,
  append: (stream, events, options) =>
    runInSpan(
      () => {
        const { attributes, ...span } = asked('append', stream);
        return { ...span, attributes: { ...attributes, 'db.operation.batch.size': events.length } };
      },
      () => store.append(stream, events, options),
    ),
  readStream: (stream, options) =>
    iterateInSpan(
      () => asked('read', stream),
      () => store.readStream(stream, options),
    ),
  readEventAt: (position) =>
    runInSpan(
      () => asked('at'),
      () => store.readEventAt(position),
    ),
  readHeadPosition: () =>
    runInSpan(
      () => asked('head'),
      () => store.readHeadPosition(),
    ),
});

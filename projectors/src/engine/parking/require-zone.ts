import { registryEventType } from '@popsvc/contracts/events';
import type { LogEvent } from '@popsvc/platform/event-store';

/** A zone that ClickHouse does not know would stop every batch and every report of its network. */
export const requireKnownTimeZone = ({ type, data }: LogEvent, zones: ReadonlySet<string>): void => {
  if (!registryEventType(type)) return;
  const { timezone } = (data ?? {}) as { readonly timezone?: unknown };
  if (typeof timezone === 'string' && !zones.has(timezone))
    throw new Error(`ClickHouse knows no time zone ${timezone}`);
};

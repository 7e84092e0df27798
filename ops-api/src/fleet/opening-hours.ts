import { isOpen, toWeeklyHours, type WeeklyHours } from '@popsvc/domain/business-hours';
import type { EntityOf } from '@popsvc/contracts/registry';

const minuteMs = 60_000;
const quarterMs = 15 * minuteMs;

/** Checks each quarter of an hour at its start. Caches results by schedule and time zone, because many sites share these. */
export interface OpeningHours {
  isOpenAt(site: EntityOf<'sites'>, atMs: number): boolean;
  /** Whether the time in which at least one of the sites was open adds up to `minutes`. */
  wereOpenFor(sites: readonly EntityOf<'sites'>[], minutes: number, range: { fromMs: number; toMs: number }): boolean;
}

export const createOpeningHours = (): OpeningHours => {
  const weeks = new Map<EntityOf<'sites'>, { readonly week: WeeklyHours; readonly key: string }>();
  const known = new Map<string, boolean>();
  const weekOf = (site: EntityOf<'sites'>) => {
    const found = weeks.get(site);
    if (found) return found;
    const week = toWeeklyHours(site.business_hours);
    const added = { week, key: `${site.timezone} ${week.opens.join()} ${week.closes.join()}` };
    weeks.set(site, added);
    return added;
  };
  const isOpenAt: OpeningHours['isOpenAt'] = (site, atMs) => {
    const { week, key } = weekOf(site);
    const quarter = Math.floor(atMs / quarterMs);
    const at = `${quarter} ${key}`;
    const open = known.get(at) ?? isOpen(week, quarter * quarterMs, site.timezone);
    known.set(at, open);
    return open;
  };
  return {
    isOpenAt,
    wereOpenFor(sites, minutes, { fromMs, toMs }) {
      const schedules = [...new Map(sites.map((site) => [weekOf(site).key, site])).values()];
      let openMs = 0;
      for (let atMs = fromMs; atMs + quarterMs <= toMs && openMs < minutes * minuteMs; atMs += quarterMs)
        if (schedules.some((site) => isOpenAt(site, atMs))) openMs += quarterMs;
      return openMs >= minutes * minuteMs;
    },
  };
};

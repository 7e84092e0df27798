import { DateTime } from 'luxon';

/** The wall clock of an IANA zone at an instant. Throws on a zone that is not known, rather than write "Invalid DateTime". */
export const toLocalTime = (instantMs: number, zone: string): DateTime<true> => {
  const local = DateTime.fromMillis(instantMs, { zone, locale: 'en-US' });
  if (!local.isValid) throw new RangeError(`No wall clock for ${instantMs} in the zone ${JSON.stringify(zone)}`);
  return local;
};

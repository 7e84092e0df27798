const hourMs = 3_600_000;

export const spans = [
  ['48', 'Last 48 hours'],
  ['168', 'Last 7 days'],
  ['336', 'Last 14 days'],
  ['744', 'Last 31 days'],
] as const;

export interface HoursWindow {
  /** ISO 8601, both on the hour. */
  readonly from: string;
  readonly to: string;
}

/** So many hours up to the end of the one that runs, or of the day the reader chose. */
export const windowOf = (span: string, day: string, nowMs: number): HoursWindow => {
  const hours = spans.find(([each]) => each === span)?.[0] ?? '48';
  const ofDay = /^\d{4}-\d\d-\d\d$/.test(day) ? new Date(`${day}T00:00:00`) : undefined;
  ofDay?.setDate(ofDay.getDate() + 1);
  const end = ofDay && !Number.isNaN(+ofDay) ? Math.min(+ofDay, nowMs) : nowMs;
  const to = Math.ceil(end / hourMs) * hourMs;
  return { from: new Date(to - Number(hours) * hourMs).toISOString(), to: new Date(to).toISOString() };
};

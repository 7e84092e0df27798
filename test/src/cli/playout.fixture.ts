/** Fields of a row, by their names in the playout standard. */
export type Fields = Readonly<Record<string, string>>;

/** A row with a start and a duration. */
export const whole: Fields = {
  frameid: '1234567801',
  startdate: '2026-09-14T12:43:17.012',
  startutcoffset: '+01:00',
  spotlength: '10000',
  orderid: 'ORD-1',
  spacebuyerid: '3001',
  spacebrandid: '7001',
  creativeid: 'CR-1',
  creativename: 'coats.mp4',
  mediaownerplayoutref: 'P-1',
};

/** The play that the mapping makes of it. */
export const play = {
  eventId: 'P-1',
  screenId: '1234567801',
  campaignId: 'ORD-1',
  creativeId: 'CR-1',
  playedAt: '2026-09-14T12:43:17.012Z',
  durationMs: 10_000,
  startReason: 'scheduled',
};

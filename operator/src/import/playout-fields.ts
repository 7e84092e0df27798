/** The digital playout file of the Outsmart Playout Reporting Standard: no header, these fields in this order. */
export const playoutFields = [
  'frameid',
  'startdate',
  'startutcoffset',
  'enddate',
  'endutcoffset',
  'spotlength',
  'shareoftime',
  'orderid',
  'lineid',
  'spacebuyerid',
  'spaceagencyid',
  'spacebrandid',
  'buyercampaignref',
  'creativeid',
  'creativename',
  'thirdpartycreativeref',
  'creativetriggerevent',
  'playerref',
  'mediaownerplayoutref',
] as const;
export type PlayoutField = (typeof playoutFields)[number];

export const mandatoryFields: readonly PlayoutField[] = [
  'frameid',
  'orderid',
  'spacebuyerid',
  'spacebrandid',
  'creativeid',
  'creativename',
  'mediaownerplayoutref',
];

const places = {
  timezone: 'SITE_TZ',
  device_id: 'DEVICE_ID',
  device: 'DEVICE_NAME',
  location_id: 'LOCATION_ID',
  location: 'LOCATION_NAME',
  site_id: 'SITE_ID',
  site: 'SITE_NAME',
};

const people = { watcher_id: 'WATCHERID', gender: 'GENDER', age_category: 'AGE_CATEGORY', mood: 'MOOD' };

const plays = {
  network_id: 'NETWORK_ID',
  network: 'NETWORK_NAME',
  vendor_name: 'MEDIA_PLAYER_NAME',
  event_id: 'EVENT_ID',
  played_at: 'DT_START_SITE_TZ',
  play_seconds: 'PLAYOUT',
  ...places,
  local_date: 'DT_ONLY_SITE_TZ',
  business_hour: 'IS_BUSINESSHOUR',
  campaign_id: 'CAMPAIGN_ID',
  campaign: 'CAMPAIGN_NAME',
  creative: 'DISPLAY_TITLE',
};

export const datasetColumns: Readonly<
  Record<string, { readonly dataset: string; readonly columns: Readonly<Record<string, string>> }>
> = {
  plays: { dataset: 'coffee', columns: { ...plays, play_reason: 'PLAY_REASON' } },
  audience: {
    dataset: 'coffee',
    columns: {
      ...plays,
      ...people,
      population: 'POP_TYPE',
      detected_from: 'DETECTION_TIMESTAMP_SITE_TZ',
      detected_to: 'DETECTION_TIMESTAMP_END_SITE_TZ',
      watch_seconds: 'WATCH_TIME',
      impression: 'IS_IMPRESSION',
      watched: 'IS_WATCHED',
      glance: 'IS_GLANCE',
      view: 'IS_VIEW',
      view_through: 'IS_VIEW_THROUGH',
    },
  },
  watchers: {
    dataset: 'watcher-summary',
    columns: {
      seen_at: 'SITE_TIMESTAMP_SITE_TZ',
      ...places,
      camera_id: 'CAM_ID',
      camera: 'CAMERA_NAME',
      ...people,
      dwell_seconds: 'DURATION',
      looked: 'IS_WATCHER',
    },
  },
};

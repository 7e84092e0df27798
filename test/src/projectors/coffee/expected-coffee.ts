import { attributeAudience, type CoffeeAudience, currentDetections } from '../../oracle/audience.ts';
import { mergeWatches } from '@popsvc/domain/audience';
import { isOpen, toWeeklyHours } from '@popsvc/domain/business-hours';
import { timeLabels, formatLocalTimestamp } from '../../oracle/time-labels.ts';
import { readAgeCategory, readGender } from '@popsvc/domain/vocabulary';
import { wasOnline } from './feeder-scenario.ts';
import { weekWith } from './scenario-registry.ts';
import type { Scenario, ScenarioEvent } from './audience-scenario.ts';

type Play = Extract<ScenarioEvent, { kind: 'play' }>;
type Detection = Extract<ScenarioEvent, { kind: 'detection' }>;

/** Half up to three decimals is exact for whole milliseconds. */
const seconds = (ms: number) => ms / 1_000;
const flag = (is: boolean) => (is ? 1 : 0);

const audienceColumns = (zone: string, seen: CoffeeAudience<Detection>) => {
  const { detection, watches, watchMs, presenceMs } = seen;
  const local = (ms: number) => formatLocalTimestamp(ms, zone);
  if (!detection)
    return {
      WATCHERID: null,
      GENDER: null,
      AGE_CATEGORY: null,
      WATCH_TIME: null,
      ATTENTION: null,
      DURATION: null,
      START_TIME: null,
    };
  return {
    WATCHERID: Number(detection.detectionId.slice(1)),
    GENDER: readGender(detection.gender).value,
    AGE_CATEGORY: readAgeCategory(undefined, detection.age).value,
    WATCH_TIME: seconds(watchMs),
    ATTENTION: Math.floor((200 * watchMs + presenceMs) / (2 * presenceMs)),
    DURATION: seconds(detection.to - detection.from),
    START_TIME: watches.map(({ from }) => local(from)),
    WATCH_TIMESTAMP_SITE_TZ_DETAILS: watches.map(({ from }) => local(from)),
    WATCH_TIMESTAMP_END_SITE_TZ_DETAILS: watches.map(({ to }) => local(to)),
    DETECTION_TIMESTAMP_SITE_TZ: local(detection.from),
    DETECTION_TIMESTAMP_END_SITE_TZ: local(detection.to),
  };
};

const rowOf = ({ network, zone, hours }: Scenario, play: Play, seen: CoffeeAudience<Detection>) => {
  const { dateOnly, month, hour, day, timeRange } = timeLabels(play.startMs, zone);
  const from = Math.max(play.startMs, seen.detection?.from ?? 0);
  return {
    POP_TYPE: seen.popType,
    EVENT_ID: play.eventId,
    NETWORK_ID: network,
    PLAYOUT: seconds(play.durationMs),
    DT_START_SITE_TZ: formatLocalTimestamp(play.startMs, zone),
    DT_END_SITE_TZ: formatLocalTimestamp(play.startMs + play.durationMs, zone),
    SITE_TIMESTAMP_SITE_TZ: formatLocalTimestamp(from, zone),
    ...audienceColumns(zone, seen),
    IS_IMPRESSION: flag(seen.isImpression),
    DURATION_IMPRESSION: seen.isImpression ? seconds(seen.presenceMs) : 0,
    IS_WATCHED: flag(seen.isWatched),
    IS_GLANCE: flag(seen.isGlance),
    DURATION_GLANCE: seen.isGlance ? seconds(seen.watchMs) : 0,
    IS_VIEW: flag(seen.isView),
    DURATION_VIEW: seen.isView ? seconds(seen.watchMs) : 0,
    IS_VIEW_THROUGH: flag(seen.isViewThrough),
    DURATION_VIEW_THROUGH: seen.isViewThrough ? seconds(seen.watchMs) : 0,
    TIME_RANGE_SITE_TZ: timeRange,
    MONTH: month,
    DT_ONLY_SITE_TZ: dateOnly,
    HOUR_SITE_TZ: hour,
    DAY_SITE_TZ: day,
    IS_BUSINESSHOUR: isOpen(toWeeklyHours(weekWith(hours)), play.startMs, zone),
  };
};

/** The current version of each detection by the domain's rules. */
export const winningDetections = ({ network, events }: Scenario): Detection[] => {
  const versions = events.flatMap((each, position) =>
    each.kind === 'detection' ? [{ ...each, network, vendor: 'v', position }] : [],
  );
  return currentDetections(versions);
};

/** The coffee rows of a scenario as the domain specifies them. */
export const expectedCoffee = (scenario: Scenario): Record<string, unknown>[] => {
  const plays = new Map<string, Play>();
  for (const each of scenario.events)
    if (each.kind === 'play' && !plays.has(each.eventId)) plays.set(each.eventId, each);
  const detections = winningDetections(scenario).map((each) => ({ ...each, watches: mergeWatches(each.watches, 0) }));
  return [...plays.values()].flatMap((play) =>
    attributeAudience({ ...play, feederOnline: wasOnline(scenario.events, play) }, detections, scenario.thresholds).map(
      (seen) => rowOf(scenario, play, seen),
    ),
  );
};

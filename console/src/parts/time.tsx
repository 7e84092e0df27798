import { now } from '../state/clock.ts';
import { agoText, dateText, utcText } from './times.ts';

interface TimeProps {
  /** ISO 8601. */
  readonly at: string;
}

/** A moment in the reader's own time; in UTC when pointed at. */
export const Time = ({ at }: TimeProps) => {
  const ms = Date.parse(at);
  return (
    <time dateTime={at} title={utcText(ms)} class="nowrap">
      {dateText(ms)}
    </time>
  );
};

/** How long ago; the moment itself when pointed at. */
export const Ago = ({ at }: TimeProps) => {
  const ms = Date.parse(at);
  return (
    <time dateTime={at} title={`${dateText(ms)}\n${utcText(ms)}`} class="nowrap">
      {agoText(Math.min(ms, now.value), now.value)}
    </time>
  );
};

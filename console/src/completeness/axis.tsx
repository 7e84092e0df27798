import { clockText, dayText } from '../parts/times.ts';

const hourMs = 3_600_000;

/** Where days begin, or quarters of a day while there is room for them; a month of days is thinned out. */
const marksOf = (from: number, hours: number): readonly { at: number; text: string }[] => {
  const step = hours <= 60 ? 6 : 24;
  const most = innerWidth < 860 ? 3 : 8;
  const every = Math.ceil(hours / (step * most));
  const marks: { at: number; text: string }[] = [];
  for (let at = 0; at < hours; at += 1) {
    const hour = new Date(from + at * hourMs);
    if (hour.getHours() % step === 0)
      marks.push({ at, text: hour.getHours() === 0 ? dayText(+hour) : clockText(+hour) });
  }
  return marks.filter((_, index) => index % every === 0);
};

export const Axis = ({ from, hours }: { readonly from: number; readonly hours: number }) => (
  <>
    <span class="wide-only" />
    <div class="map-axis" aria-hidden="true">
      {marksOf(from, hours)
        // The last one would stand beyond the map.
        .filter(({ at }) => at / hours < 0.94)
        .map(({ at, text }) => (
          <span key={at} style={{ left: `${(at / hours) * 100}%` }}>
            {text}
          </span>
        ))}
    </div>
    <span class="wide-only map-share muted">with plays</span>
  </>
);

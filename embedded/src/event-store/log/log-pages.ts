import { wholeLength } from './frame.ts';
import { type Page, pageBefore, pageFrom } from './page.ts';
import { type Segment } from './segment.ts';
import { type Segments } from './segments.ts';

const smallPageBytes = 4096;

/** The page at `position`, or the first one of the next file when its own ends there. */
export const pageOfLogFrom = async (segments: Segments, position: number): Promise<Page | undefined> => {
  for (let segment: Segment | undefined = segments.holding(position); segment; segment = segments.after(segment)) {
    const page = await pageFrom(segment, Math.max(position, segment.firstPosition));
    if (page) return page;
  }
  return undefined;
};

/** The page that ends at `position`, or the last one of the file before when its own begins there. */
export const pageOfLogBefore = async (segments: Segments, position: number): Promise<Page | undefined> => {
  const start = segments.holding(position - 1);
  for (let segment: Segment | undefined = start; segment; segment = segments.before(segment)) {
    const page = await pageBefore(segment, Math.min(position, segment.end));
    if (page) return page;
  }
  return undefined;
};

/** Whether a record begins at `position`. */
export const isBoundary = async (segment: Segment, position: number): Promise<boolean> => {
  if (position < segment.firstPosition || position >= segment.end) return false;
  const page = await pageFrom(segment, position, smallPageBytes).catch(() => undefined);
  return page !== undefined && wholeLength(page.bytes, 0, page.to) > 0;
};

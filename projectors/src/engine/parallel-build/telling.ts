import { readBuildProgress, type LeaseKey, type Postgres } from '@popsvc/platform/postgres';
import type { BuildProgress } from './build.ts';

const everyMs = 500;

/** Tells how far a build is, whoever works on it. Returns what ends that, with a last word. */
export const reportBuildProgress = async (
  postgres: Postgres,
  key: LeaseKey,
  onProgress: (progress: BuildProgress) => void,
): Promise<() => Promise<void>> => {
  let told = (await readBuildProgress(postgres, key)).events;
  const tell = async () => {
    const { events, position, share, windows } = await readBuildProgress(postgres, key);
    // About as many events in what is left of the log as in what is done of it.
    const total = share > 0 ? { total: Math.round(events / share) } : {};
    const standing = { position, ...total, ...(windows.of > 0 && { windows }) };
    const since = events - told;
    told = events;
    onProgress({ events: since, ...standing });
  };
  const beat = () => void tell().catch(() => undefined);
  const timer = setInterval(beat, everyMs);
  return async () => {
    clearInterval(timer);
    await tell().catch(() => undefined);
  };
};

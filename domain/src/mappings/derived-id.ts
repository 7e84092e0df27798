import { parse, v5 } from 'uuid';

/** Fixed for ever: another one would count every play without an id a second time. */
const namespace = parse('3c772c69-6be2-43d8-8c3c-6e56e9242fd9');

/** What makes a play without an id of its own the same play when it is told again. */
export interface PlayTraits {
  readonly screenId: string;
  readonly startedAt: string;
  readonly endedAt: string;
  readonly creativeId: string;
  readonly campaignId: string;
}

/** UUIDv5 of the JSON list [screenId, start, end, creativeId, campaignId], instants as `2026-08-20T14:03:07.250Z`. */
export const derivedId = ({ screenId, startedAt, endedAt, creativeId, campaignId }: PlayTraits): string =>
  v5(JSON.stringify([screenId, startedAt, endedAt, creativeId, campaignId]), namespace);

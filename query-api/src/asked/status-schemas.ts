import { z } from 'zod';

/** Parameters of status and uptime, for their description; their names are those that are known. `Parameters` does the checking. */
export const idSchema = z.int().min(1).max(Number.MAX_SAFE_INTEGER);

const ids = (what: string) =>
  z.array(idSchema).optional().describe(`Only what is at these ${what}; repeat it for several.`);

export const statusQuerySchema = z.object({
  site_id: ids('sites'),
  location_id: ids('locations').describe(
    'Only what is at these locations; repeat it for several. Beside site_id both must hold.',
  ),
});

const edge = (about: string) =>
  z.iso.datetime({ offset: true }).optional().describe(`${about} A plus sign of an offset is written %2B.`);

export const uptimeQuerySchema = z.object({
  from: edge("Start of the window; default: today's midnight in the service's own time zone."),
  to: edge('End of the window; default, and at the latest: now.'),
});
